export type Repayment = { readonly monthlyPayment: number; readonly totalRepayable: number }

/** Several roundings of 2^-53 each. */
const NOISE = 2 ** -50

/** An annuity in whole XOF: equal monthly payments, rounded up, so that the total covers the amount. */
export function repayment(amount: number, annualRatePercent: number, termMonths: number): Repayment {
  const monthlyRate = annualRatePercent / 1200
  const withoutInterest = amount / termMonths
  // expm1 and log1p keep the digits that 1 - (1 + rate) ** -months loses when the rate is small.
  const withInterest =
    monthlyRate === 0 ? 0 : (amount * monthlyRate) / -Math.expm1(-termMonths * Math.log1p(monthlyRate))
  // What arithmetic adds by itself is no interest; and of a huge amount it takes a franc or two: never less than that.
  const monthlyPayment = Math.ceil(Math.max(withInterest * (1 - NOISE), withoutInterest))
  return { monthlyPayment, totalRepayable: monthlyPayment * termMonths }
}
