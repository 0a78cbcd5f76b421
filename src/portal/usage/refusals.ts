import { isErrorCode } from '../../errors/catalogue.ts'
import { errorWords } from '../../errors/catalogue-fr.ts'
import type { RefusalView } from '../../operations/usage-view.ts'
import { ICONS } from '../icons.ts'
import { type Markup, markup } from '../markup.ts'
import { shown } from '../texts.ts'
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
  const [recent, older] = [runs.slice(0, SHOWN), runs.slice(SHOWN)]
  // What to do about a code is said once among the older ones, so that 200 lines stay light on a phone.
  const told = new Set(recent.map(([{ code }]) => code))
  return markup`<section class="card refusals" aria-labelledby="refusals">
<div><h2 id="refusals">${texts.refusals}</h2><p class="muted">${texts.refusalsExplain}</p></div>
${searchForm(scene)}
${live(
  'refusals',
  markup`${found(scene, refusals)}
${runs.length === 0 ? markup`<p class="nothing">${ICONS.check}<span>${texts.noRefusals}</span></p>` : markup`<ul class="runs">${recent.map(item)}</ul>`}
${older.length > 0 && markup`<details id="older"><summary>${texts.older}</summary><ul class="runs">${older.map((run) => olderItem(scene, run, told))}</ul></details>`}
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
  const [newest] = run
  return markup`<li class="run">
<p class="run-head">${what(scene, run)}</p>
${whatToDo(scene, newest.code)}
<p class="muted small">${when(scene, run)}</p>
${run.length === 1 ? markup`<p class="id"><code>${newest.requestId}</code></p>` : ids(scene, run)}</li>`
}

function olderItem(scene: Scene, run: Run, told: Set<string>): Markup {
  const [{ code, at, requestId }] = run
  const isNew = !told.has(code)
  told.add(code)
  const single = markup`<span class="small">${momentText(scene, at)}</span> <code class="small">${requestId}</code>`
  return markup`<li class="run"><p class="run-head">${what(scene, run, isNew)} ${run.length === 1 ? single : when(scene, run)}</p>
${isNew && whatToDo(scene, code)}${run.length > 1 && ids(scene, run)}</li>`
}

function what({ texts }: Scene, [{ code, status, operation }]: Run, isLinked = true): Markup {
  return markup`${isLinked ? codeLink(code) : markup`<code>${code}</code>`} <span class="chip">${status}</span> <span class="muted">${operation === 'none' ? texts.noOperation : markup`<code>${operation}</code>`}</span>`
}

function whatToDo({ language }: Scene, code: string): Markup | false {
  return isErrorCode(code) && markup`<p>${shown(errorWords(code, language).resolution, language)}</p>`
}

function when(scene: Scene, run: Run): Markup {
  const { texts, language } = scene
  const [newest] = run
  const oldest = run.at(-1) ?? newest
  if (run.length === 1) return moment(scene, newest.at)
  return markup`${texts.times(numberText(language, run.length))}, ${texts.between} ${moment(scene, oldest.at)} ${texts.and} ${moment(scene, newest.at)}`
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

function moment(scene: Scene, instant: string): Markup {
  return markup`<time datetime="${instant}">${momentText(scene, instant)}</time>`
}

function momentText({ language }: Scene, instant: string): string {
  const at = Date.parse(instant)
  return `${dayText(language, at)}, ${secondText(language, at)}`
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
