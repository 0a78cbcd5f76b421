/** The answer of GET /v1/credit/simulate?amount=50011, as every server of the comparison sends it. */
export const SIMULATION = {
  simulationId: 'sim_8DwSLGjxI1a6ddAJlNIfmfb2L',
  amount: 50011,
  currency: 'XOF',
  termMonths: 6,
  outcome: 'approved',
  code: null,
  annualRatePercent: 12,
  monthlyPayment: 8630,
  totalRepayable: 51780,
  decidedAt: '2026-01-15T09:30:00.235Z',
}
