// What stands for a partner's tests in the pictures of a replay: the calls of recordings/account-to-payment.har, with
// values that are made up in every run. The amount decides the outcome; another one may be given.
const [amount = '25077'] = process.argv.slice(2)
const base = process.env.SANDGATE_URL
const answer = async (path, init) => {
  const response = await fetch(base + path, init)
  const json = await response.json()
  if (!response.ok) console.log(`not ok  ${init?.method ?? 'GET'} ${path}: ${response.status} ${json.code}`)
  return json
}
const body = new URLSearchParams({ client_id: 'key_demo', client_secret: 'any secret' })
const { access_token } = await answer('/auth/token', { method: 'POST', body })
const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
const post = (path, fields) =>
  answer(path, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': crypto.randomUUID() },
    body: JSON.stringify(fields),
  })
const get = (path) => answer(path, { headers })

const customerRef = `CUS-${crypto.randomUUID()}`
const reference = `INV-${crypto.randomUUID()}`
const person = { phone: '+2250712345678', firstName: 'Mariam', lastName: 'Traoré', country: 'CI' }
const { accountId } = await post('/v1/accounts/open', { customerRef, ...person })
await post('/v1/kyc/submit', { customerRef, ...person })
await get(`/v1/score?customerRef=${customerRef}`)
await get('/v1/credit/simulate?amount=50011&termMonths=6')
const paid = await post('/v1/payments/fund', { amount: Number(amount), accountId, reference })
if (paid.outcome) console.log(`ok      a new customer is paid: ${paid.outcome}`)
await post('/v1/payments/cashout', { amount: 5077, accountId })
const account = await get(`/v1/accounts/${accountId}`)
await get('/portal/usage')
if (account.accountId === accountId) console.log('ok      the account can be read')
