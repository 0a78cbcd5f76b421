/**
 * The page behind the URL of a widget session. It is no operation that a token opens, but partners' tests pass through
 * it, so recordings know it by these names.
 */
export const WIDGET_PATH = '/kyc/widget/{sessionId}'

export const WIDGET_PAGES = [
  { id: 'widget.show', method: 'GET', path: WIDGET_PATH },
  { id: 'widget.submit', method: 'POST', path: WIDGET_PATH },
] as const
