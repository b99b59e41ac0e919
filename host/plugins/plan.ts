import type { OnFailure } from '../configuration.ts'
import type { Composition } from './compose.ts'
import { type PlannedListener, plannedListeners } from './declarations.ts'
import { refuseLayers } from './layers.ts'

/** What is known of a host before it starts. */
export class Plan {
  readonly #composition: Composition
  readonly #repo: string | undefined
  readonly #onFailure: (plugin: string) => OnFailure

  /** @param repo - its folder, where the host has one */
  constructor(composition: Composition, repo: string | undefined, onFailure: (plugin: string) => OnFailure) {
    this.#composition = composition
    this.#repo = repo
    this.#onFailure = onFailure
  }

  /** Throws what would keep the host from starting, as far as that can be told without starting anything. Nothing is changed. */
  async check(): Promise<void> {
    if (this.#repo !== undefined) await refuseLayers(this.#composition, this.#repo, name => this.#onFailure(name) === 'abort')
  }

  /** Lines of the configuration that may be mistakes. */
  get doubts(): readonly string[] {
    return this.#composition.doubts
  }

  /** The listeners that plugins will open, of those whose place is known by now. */
  listeners(): PlannedListener[] {
    return this.#composition.order.flatMap(plannedListeners)
  }
}
