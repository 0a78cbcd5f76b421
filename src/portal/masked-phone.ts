export type MaskedPhone = {
  /** `+225 •••••••01`, for the eye. */
  readonly shown: string
  /** The last two digits, for a screen reader: it would read every dot. */
  readonly ending: string
}

/** The three-digit country codes of Africa; +20 and +27 are shorter. */
const COUNTRY_CODE = /^\+2(?:[1-6]\d|[89]\d)/

/** A number that its owner recognises and nobody else learns: the country, where it is known, and two digits. */
export function maskedPhone(phone: string): MaskedPhone {
  const code = COUNTRY_CODE.exec(phone)?.[0]
  const ending = phone.slice(-2)
  // Always as many dots: the length is nobody's business either.
  return { shown: `${code ? `${code} ` : ''}•••••••${ending}`, ending }
}
