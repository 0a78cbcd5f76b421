import { remembered } from '../../../map-entries.ts'
import { wordsOf } from '../secrets/names.ts'

/**
 * Which person's value a name means, as the words in it say: what the contract calls a phone, others call `msisdn`,
 * `customer_phone_number` or `beneficiaryMobile`. Undefined when it means none.
 */
export function personalMeaning(name: string): string | undefined {
  if (name.length > MAX_NAME || name.includes('redacted-')) return undefined
  return meaningOfName(name)
}

const meaningOfName = remembered((name) => meaningOf(wordsOf(name)))
const MAX_NAME = 100

/** Who a name or a number can be of. */
const WHO =
  'customer|client|beneficiary|beneficiaire|holder|accountholder|cardholder|recipient|destinataire|sender|payer|payee|guardian|' +
  'applicant|borrower|owner|signatory|director|contact|spouse|mother|mothers|father|fathers|kin|person|patient|employee|debtor|creditor|' +
  'subscriber|remitter|depositor|individual|guarantor|titulaire|full|customers'

/** By all words of a name, written as one. The first that fits says it. */
const MEANINGS: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['email', /(?:e?mails?|courriel)(?:address|addresses|adresse)?$|^adressee?mail$/],
  ['iban', /iban(?:number)?$|^rib$|(?:bank|beneficiary)?account(?:number|no)$|numero(?:de)?compte$/],
  [
    'nationalId',
    /(?:national|citizen|identity|identification|civil|personal|voters?|resident|insurance)(?:card|document)?(?:id|number|num|no|idnumber|identifier)$|^(?:identity|id)(?:card|document)(?:number|num|no|id)?$|document(?:number|no)$|^id(?:number|no)$|socialsecurity(?:number|no|num|id)?$|securitesociale$|numero(?:de)?(?:cni|piece|passeport|identite)|piecedidentite$|passports?(?:number|no|num|id)?$|passeport$|(?:driver|driving|drivers)(?:license|licence|permit)(?:number|no|id)?$|permis(?:deconduire)?$|(?:aadhaar|aadhar|curp|cpf)$/,
  ],
  ['taxId', /tax(?:payer)?(?:id|number|no|identifier|identificationnumber)$|vat(?:number|no|id)$/],
  ['birthPlace', /(?:place|city|town|country)ofbirth$|birth(?:place|city|town)$|lieu(?:de)?naissance$/],
  [
    'dateOfBirth',
    /(?:date(?:of|de)?(?:birth|naissance)|birth(?:date|day)?|^dob|^born(?:on|at)?)$|naissance$/,
  ],
  [
    'phone',
    /(?:phone|mobile|msisdn|telephone|cellphone|whatsapp|gsm|(?:momo|mobilemoney|wallet)(?=num|no))(?:s|number|num|no|numbers)?$|numero(?:de)?telephone$/,
  ],
  ['firstName', /(?:first|given|fore|middle|christian)names?$|prenoms?$/],
  [
    'lastName',
    new RegExp(
      `(?:last|family|sur|maiden)names?$|nom(?:de)?(?:famille|naissance|client|titulaire)$|patronyme$|(?:${WHO})(?:full)?names?$|^accountholder$`,
    ),
  ],
  [
    'address',
    /(?:^|home|postal|street|billing|shipping|residential|mailing|delivery|customer|client|residence|permanent)(?:address|adresse)(?:es|line)?$|^adresse|^(?:street|rue|domicile)(?:name|line)?$|^(?:post|postal|zip)code$|codepostal$/,
  ],
  ['ip', /(?:^|client|remote|source|user|customer|device)ip(?:address|adresse)?$/],
  ['biometric', /^(?:selfie|fingerprint|biometrics?|faceimage|faceprint)(?:image|data|template)?$/],
]

/** Too short to be a part of another word. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ssn: 'nationalId',
    nss: 'nationalId',
    nin: 'nationalId',
    nino: 'nationalId',
    bvn: 'nationalId',
    cni: 'nationalId',
    cnib: 'nationalId',
    nif: 'taxId',
    tin: 'taxId',
    ifu: 'taxId',
    tel: 'phone',
    cell: 'phone',
    fax: 'phone',
    nom: 'lastName',
    latitude: 'location',
    longitude: 'location',
  }),
)
/** What a value is called beside such a word. */
const NUMBER = new Set(['number', 'num', 'no', 'numero', 'value', 'code', 'id', 'client', 'customer'])

function meaningOf(words: readonly string[]): string | undefined {
  if (words.length === 0) return undefined
  const joined = words.join('')
  for (const [type, pattern] of MEANINGS) if (pattern.test(joined)) return type
  const telling = words.filter((word) => !NUMBER.has(word))
  return WORDS.get(telling.at(-1) ?? '')
}

/** Under one of these, `name` is the name of a person, and `first` and `last` are its parts. */
const PERSONS = new RegExp(`^(?:${WHO}|user|party|identity|parent|representative)s?$`)
const PARTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    name: 'lastName',
    names: 'lastName',
    displayname: 'lastName',
    accountname: 'lastName',
    last: 'lastName',
    first: 'firstName',
    given: 'firstName',
    family: 'lastName',
    id: '',
    number: '',
  }),
)

/** The same of a name under another one. */
export function personalPart(parent: string, name: string): string | undefined {
  const part = PARTS.get(name.toLowerCase().replaceAll(/[_-]/g, ''))
  if (part === undefined) return undefined
  const words = wordsOf(parent)
  if (part === '') return words.at(-1) === 'document' ? 'nationalId' : undefined
  return PERSONS.test(words.at(-1) ?? '') ? part : undefined
}

/** Of what everybody writes in a field of this name, and of no person. */
const NOBODY =
  /^(?:true|false|null|none|undefined|required|invalid|missing|expired|optional|unknown|hidden|masked|string|number|yes|no|n\/a|-+|\*+)$/i
const DIGITS = /[0-9]/g

/**
 * Whether a value can be what its name means: a field of that name can hold a setting of it as well, `email: true`, and
 * `phone: "verified"`.
 */
export function isPersonal(type: string, value: string): boolean {
  if (NOBODY.test(value) || value.startsWith('redacted-')) return false
  const digits = value.match(DIGITS)?.length ?? 0
  switch (type) {
    case 'email':
      return value.includes('@')
    case 'phone':
      return digits >= 6 && /^[+0-9().\s/x-]+$/.test(value)
    case 'iban':
      return digits >= 6
    case 'nationalId':
    case 'documentNumber':
    case 'taxId':
    case 'registrationNumber':
      return digits >= 4 && !/\s[a-z]/.test(value)
    case 'dateOfBirth':
      return digits >= 1
    case 'ip':
      return /\d+\.\d+\.\d+\.\d+|:[0-9a-f]*:/i.test(value)
    case 'location':
      return digits >= 3
    case 'biometric':
      return value.length >= 12
    default:
      return /\p{L}{2}|[0-9]{2}/u.test(value)
  }
}
