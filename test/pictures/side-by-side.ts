import { escapeHtml } from '../../functions/core/text/escape-html.ts';

/** Pixels of a phone held upright, and between the two. */
const phone = 390;
const gap = 16;

export const pairWidth = 2 * phone + 3 * gap;

type Scheme = 'light' | 'dark';

/** One page twice at the width of a phone, as it looks in light and in dark. */
export function sideBySide(page: string): string {
  return framed(page, ['light', 'dark'], { width: phone, margin: gap });
}

/** One page as a desk shows it; `highest`: pixels of it that are shown. */
export function alone(
  page: string,
  width: number,
  { scheme = 'light', ...shown }: { readonly highest?: number; readonly scheme?: Scheme } = {},
): string {
  return framed(page, [scheme], { width, margin: 0, ...shown });
}

/** It says its height in its title. */
function framed(
  page: string,
  schemes: readonly Scheme[],
  { width, margin, highest = 100_000 }: { readonly width: number; readonly margin: number; readonly highest?: number },
): string {
  const frames = schemes.map(
    (scheme) => `<iframe scrolling="no" srcdoc="${escapeHtml(inScheme(page, scheme))}"></iframe>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>?</title><style>
body { margin:0; padding:${margin}px; display:flex; align-items:flex-start; gap:${margin}px; background:#8a9099; }
iframe { border:0; width:${width}px; height:10px; border-radius:${margin === 0 ? 0 : 10}px; background:#fff; }
</style></head><body>${frames.join('')}<script>
addEventListener('load', () => {
  const frames = [...document.querySelectorAll('iframe')];
  const height = Math.min(${highest}, Math.max(...frames.map((frame) => frame.contentDocument.documentElement.scrollHeight)));
  for (const frame of frames) frame.style.height = height + 'px';
  document.title = String(height + ${2 * margin});
});
</script></body></html>`;
}

/** A frame follows the scheme of its page: the rule that asks for the reader's wish is decided here instead. */
function inScheme(page: string, scheme: Scheme): string {
  return page
    .replaceAll(/@media \(prefers-color-scheme: ?dark\)/g, scheme === 'dark' ? '@media all' : '@media not all')
    .replaceAll('light dark', scheme);
}
