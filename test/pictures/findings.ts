import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';

/** What axe finds above minor, and what of colours it cannot tell. */
export function findingsOf({
  violations,
  incomplete,
}: Pick<AxeResults, 'violations' | 'incomplete'>): readonly string[] {
  const untold = incomplete.filter(({ id }) => id === 'color-contrast');
  return [...violations.filter(({ impact }) => impact !== 'minor'), ...untold].flatMap(({ id, impact, nodes }) =>
    nodes
      // Signs such as an arrow have no contrast of text.
      .filter(({ any }) => !any.some(({ message }) => /only non-text characters/.test(message)))
      .map(({ html }) => `${id} (${impact}): ${html.slice(0, 120)}`),
  );
}

/** The page with everything opened, and a script that puts what axe finds into its title. Signs before and after
 *  elements are left out: axe cannot tell a colour behind them. */
export function auditing(page: string): string {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const options = { resultTypes: ['violations', 'incomplete'] };
  const script = `for (const each of document.querySelectorAll('details')) each.open = true;
axe.run(document, ${JSON.stringify(options)}).then((found) => {
  const { violations, incomplete, passes } = found;
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  document.title = encodeURIComponent(JSON.stringify({ violations, incomplete, passes: passes.length, dark }));
});`;
  const style = '<style>*::before,*::after{content:none!important}</style>';
  return page.replace(/<\/body>/, () => `${style}<script>${axe}</script><script>${script}</script></body>`);
}
