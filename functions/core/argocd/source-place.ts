import { asWord } from '../text/phrases.ts';
import { redact } from '../text/safe-text.ts';
import type { ApplicationSource } from './application.ts';

/** Where the manifests of a source are, for people: `https://github.com/acme/platform, path nodes`. Whoever may write
 *  an Application may write anything there. */
export function sourcePlace({ repoURL, path, chart }: Pick<ApplicationSource, 'repoURL' | 'path' | 'chart'>): string {
  const address = asWord(redact(repoURL));
  if (chart !== '') return `${address}, chart ${asWord(chart)}`;
  return path === '' ? address : `${address}, path ${asWord(path)}`;
}
