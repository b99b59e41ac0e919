/** A system that does one of several steps at a time. Its states are plain data: equal when they say the same as JSON. */
export interface Model<State> {
  readonly initial: State
  /** Every state that may come next, with the name of the step that leads to it: copies of `state`, changed. */
  next(state: State, copy: () => State): Iterable<readonly [step: string, state: State]>
  /** What is wrong with a state. */
  fault(state: State): string | undefined
  /** What is wrong with a state that nothing follows. */
  faultAtEnd(state: State): string | undefined
}

export interface Exploration {
  readonly states: number
  /** The first fault that was found, and the steps that lead to it. */
  readonly fault?: { readonly what: string; readonly steps: readonly string[] }
}

/** Visits every state that can be reached, in whatever order the steps come, until one has a fault: one that takes the fewest steps. */
export function explore<State>(model: Model<State>): Exploration {
  const seen = new Set<string>()
  const open: Array<{ text: string; steps: Steps | undefined }> = [{ text: JSON.stringify(model.initial), steps: undefined }]
  for (const { text, steps } of open) {
    const copy = () => JSON.parse(text) as State
    const state = copy()
    let isEnd = true
    let what = model.fault(state)
    for (const [name, following] of what === undefined ? model.next(state, copy) : []) {
      isEnd = false
      const found = JSON.stringify(following)
      if (seen.has(found)) continue
      seen.add(found)
      open.push({ text: found, steps: { name, before: steps } })
    }
    if (isEnd) what ??= model.faultAtEnd(state)
    if (what !== undefined) return { states: seen.size, fault: { what, steps: listOf(steps) } }
  }
  return { states: seen.size }
}

interface Steps {
  readonly name: string
  readonly before: Steps | undefined
}

function listOf(last: Steps | undefined): string[] {
  const names: string[] = []
  for (let step = last; step !== undefined; step = step.before) names.push(step.name)
  return names.reverse()
}
