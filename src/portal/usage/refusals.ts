import { isErrorCode } from '../../errors/catalogue.ts'
import { errorWords } from '../../errors/catalogue-fr.ts'
import type { RefusalView } from '../../operations/usage-view.ts'
import { ICONS } from '../icons.ts'
import { type Markup, markup } from '../markup.ts'
import { USAGE_PATH } from './addresses.ts'
import { dayText, numberText, secondText } from './format.ts'
import { live, type Scene } from './scene.ts'

/** One refusal, or several of one kind without another between them: a storm is one line. */
type Run = readonly [RefusalView, ...RefusalView[]]

/** Lines that stand open; the rest is behind a click. */
const SHOWN = 20

/** What went wrong lately, what to do about it, and what to quote. */
export function refusalsCard(scene: Scene, refusals: readonly RefusalView[]): Markup {
  const { texts } = scene
  const runs = runsOf(refusals)
  const item = (run: Run) => refusalItem(scene, run)
  const older = runs.slice(SHOWN)
  return markup`<section class="card refusals" aria-labelledby="refusals">
<div><h2 id="refusals">${texts.refusals}</h2><p class="muted">${texts.refusalsExplain}</p></div>
${searchForm(scene)}
${live(
  'refusals',
  markup`${found(scene, refusals)}
${runs.length === 0 ? markup`<p class="nothing">${ICONS.check}<span>${texts.noRefusals}</span></p>` : markup`<ul class="runs">${runs.slice(0, SHOWN).map(item)}</ul>`}
${older.length > 0 && markup`<details id="older"><summary>${texts.older}</summary><ul class="runs">${older.map(item)}</ul></details>`}
${runs.length > 0 && markup`<p class="muted small">${texts.help}</p>`}`,
)}
</section>`
}

function runsOf(refusals: readonly RefusalView[]): readonly Run[] {
  const runs: [RefusalView, ...RefusalView[]][] = []
  for (const refusal of refusals) {
    const last = runs.at(-1)
    const isSame = last?.[0].code === refusal.code && last[0].operation === refusal.operation
    if (last && isSame) last.push(refusal)
    else runs.push([refusal])
  }
  return runs
}

function refusalItem(scene: Scene, run: Run): Markup {
  const { texts, language } = scene
  const [newest] = run
  const oldest = run.at(-1) ?? newest
  const { code, status, operation } = newest
  const when =
    run.length === 1
      ? moment(scene, newest.at)
      : markup`${texts.times(numberText(language, run.length))}, ${texts.between} ${moment(scene, oldest.at)} ${texts.and} ${moment(scene, newest.at)}`
  return markup`<li class="run">
<p class="run-head">${codeLink(code)} <span class="chip">${status}</span> <span class="muted">${operation === 'none' ? texts.noOperation : markup`<code>${operation}</code>`}</span></p>
<p>${isErrorCode(code) && errorWords(code, language).resolution}</p>
<p class="muted small">${when}</p>
${run.length === 1 ? markup`<p class="id"><code>${newest.requestId}</code></p>` : ids(scene, run)}</li>`
}

function ids(scene: Scene, run: Run): Markup {
  const lines = run.map(
    ({ requestId, at }) =>
      markup`<li><code>${requestId}</code> <span>${secondText(scene.language, Date.parse(at))}</span></li>`,
  )
  // Named by its oldest refusal, so that it stays open while newer ones join.
  return markup`<details id="${run.at(-1)?.requestId}"><summary>${scene.texts.showIds}</summary><ul class="ids">${lines}</ul></details>`
}

function codeLink(code: string): Markup {
  return isErrorCode(code)
    ? markup`<a href="/docs/errors/${code}"><code>${code}</code></a>`
    : markup`<code>${code}</code>`
}

function moment({ language }: Scene, instant: string): Markup {
  const at = Date.parse(instant)
  return markup`<time datetime="${instant}">${dayText(language, at)}, ${secondText(language, at)}</time>`
}

function searchForm({ texts, addresses }: Scene): Markup {
  const { search, query } = addresses
  const kept = ['lang', 'history'].flatMap((name) => {
    const value = query.get(name)
    return value === null ? [] : [markup`<input type="hidden" name="${name}" value="${value}">`]
  })
  return markup`<form class="search" method="get" action="${USAGE_PATH}#refusals" role="search">${kept}
<label for="request">${texts.search}</label><p class="hint" id="request-hint">${texts.searchHint}</p>
<div class="search-line"><input id="request" name="request" value="${search}" maxlength="80" autocapitalize="none" autocorrect="off" autocomplete="off" spellcheck="false" aria-describedby="request-hint"><button class="button">${ICONS.search}${texts.find}</button></div></form>`
}

/** What the search has come to. */
function found(scene: Scene, refusals: readonly RefusalView[]): Markup | false {
  const { texts, addresses } = scene
  const { search } = addresses
  if (search === '') return false
  const refusal = refusals.find(({ requestId }) => requestId === search)
  const clear = markup`<p><a href="${addresses.view(USAGE_PATH, { request: '' })}#refusals">${texts.clear}</a></p>`
  if (!refusal) return markup`<div class="found" role="status"><p>${texts.notFound(search)}</p>${clear}</div>`
  return markup`<div class="found" role="status"><h3>${texts.found}</h3><ul class="runs">${refusalItem(scene, [refusal])}</ul>${clear}</div>`
}
