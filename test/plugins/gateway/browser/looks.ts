/** What a person sees of a page. */
export interface Looks {
  /** By how much the page is wider than the window, in pixels. */
  readonly overflow: number
  /** Texts that end outside of the window. */
  readonly outside: number
  /** Of the letters, in pixels. */
  readonly smallest: number
  /** Between letters and what is behind them, the least (WCAG 2.2, 1.4.3). */
  readonly contrast: number
  /** Of the background: 0 is black, 1 is white. */
  readonly lightness: number
  /** The height of the lowest row with an entry, in pixels. */
  readonly lowestRow: number
  readonly rows: number
  readonly texts: number
}

/** Measures a page, in the page: text, as the sources here know no documents. */
export const LOOKS = String.raw`(() => {
  const luminance = color => {
    const [r = 0, g = 0, b = 0] = (color.match(/[\d.]+/g) ?? []).map(Number)
    const linear = [r, g, b].map(value => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }
  const contrast = (a, b) => {
    const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, other) => one - other)
    return (light + 0.05) / (dark + 0.05)
  }
  // the colour that the browser itself paints behind a page without one
  const behind = matchMedia('(prefers-color-scheme: dark)').matches ? 'rgb(18, 18, 18)' : 'rgb(255, 255, 255)'
  const ofBody = getComputedStyle(document.body).backgroundColor
  const background = /, 0\)$|transparent/.test(ofBody) ? behind : ofBody
  // what is behind a text: the colour of the innermost element around it that has one
  const backgroundOf = element => {
    for (let at = element; at !== null; at = at.parentElement) {
      const { backgroundColor } = getComputedStyle(at)
      if (!/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor
    }
    return background
  }
  const shown = 'h1, h1 a, h2, p, pre, code, li, label, input, button, nav a, th, td, td a, dd, dt, .button'
  const texts = [...document.querySelectorAll(shown)].filter(element => element.getClientRects().length > 0)
  const styles = texts.map(element => getComputedStyle(element))
  const rows = [...document.querySelectorAll('tbody tr')].map(row => row.getBoundingClientRect())
  return {
    overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    outside: texts.filter(element => element.getBoundingClientRect().right > innerWidth + 0.5).length,
    smallest: Math.min(...styles.map(({ fontSize }) => Number.parseFloat(fontSize))),
    contrast: Math.min(...texts.map((element, i) => contrast(styles[i].color, backgroundOf(element)))),
    lightness: luminance(background),
    lowestRow: Math.min(...rows.map(({ height }) => height)),
    rows: rows.length,
    texts: texts.length
  }
})()`
