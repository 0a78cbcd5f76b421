import { escapeHtml } from './escape.ts'

/** HTML that is safe to put into a page as it is. */
export type Markup = { readonly html: string }

export type Piece = string | number | Markup | readonly Markup[] | false | undefined

/**
 * HTML from a template: everything that is put in is escaped, as content and as a quoted attribute, except what
 * is markup itself. `false` and undefined are nothing.
 */
export function markup(template: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  let html = template[0] ?? ''
  pieces.forEach((piece, index) => {
    html += textOf(piece) + (template[index + 1] ?? '')
  })
  return { html }
}

export const NOTHING: Markup = { html: '' }

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (typeof piece === 'string') return escapeHtml(piece)
  if (typeof piece === 'number') return String(piece)
  return 'html' in piece ? piece.html : piece.map(({ html }) => html).join('')
}
