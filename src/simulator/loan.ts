export type Repayment = { readonly monthlyPayment: number; readonly totalRepayable: number }

/** An annuity in whole XOF: equal monthly payments, rounded up, so that the total covers the amount. */
export function repayment(amount: number, annualRatePercent: number, termMonths: number): Repayment {
  const monthlyRate = annualRatePercent / 1200
  const exact =
    monthlyRate === 0 ? amount / termMonths : (amount * monthlyRate) / (1 - (1 + monthlyRate) ** -termMonths)
  const monthlyPayment = Math.ceil(exact)
  return { monthlyPayment, totalRepayable: monthlyPayment * termMonths }
}
