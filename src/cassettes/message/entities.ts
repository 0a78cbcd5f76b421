const NAMED: ReadonlyMap<string, string> = new Map([
  ...Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    Tab: '\t',
    NewLine: '\n',
    excl: '!',
    num: '#',
    dollar: '$',
    percnt: '%',
    lpar: '(',
    rpar: ')',
    ast: '*',
    plus: '+',
    comma: ',',
    period: '.',
    sol: '/',
    colon: ':',
    semi: ';',
    equals: '=',
    quest: '?',
    commat: '@',
    lsqb: '[',
    bsol: '\\',
    rsqb: ']',
    Hat: '^',
    lowbar: '_',
    grave: '`',
    lcub: '{',
    verbar: '|',
    rcub: '}',
    hyphen: '-',
    dash: '-',
  }),
  // The letters of Latin-1, in the order of their code points.
  ...'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'
    .split(' ')
    .map((name, i): [string, string] => [name, String.fromCharCode(0xa0 + i)]),
])

/** A character reference of HTML or XML; browsers read a number without its semicolon too. */
export const ENTITY = '&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,7};)'

/** What a character reference stands for; undefined when it is none. */
export function entityText(entity: string): string | undefined {
  const body = entity.slice(1, entity.endsWith(';') ? -1 : undefined)
  if (!body.startsWith('#')) return NAMED.get(body) ?? NAMED.get(body.toLowerCase())
  const code = /^#[xX]/.test(body) ? Number.parseInt(body.slice(2), 16) : Number(body.slice(1))
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}
