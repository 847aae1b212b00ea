import axe, { type AxeResults } from 'axe-core';
import { Window } from 'happy-dom';
import { expect, test } from 'vitest';
import { findingsOf } from '../../pictures/findings.ts';
import { waitingPage } from '../../pictures/waiting-page.ts';
import { sampleStatusPage } from './status-sample.ts';

/** What axe finds by structure alone: happy-dom lays nothing out, so colours are looked at by `npm run pictures`, with
 *  every rule. Without what only browsers without scripts show. */
async function foundOn(page: string, rules?: readonly string[]): Promise<readonly string[]> {
  const settings = { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true };
  const window = new Window({ url: 'http://localhost/status', settings });
  window.document.write(page.replaceAll(/<(script|style|noscript)[\s\S]*?<\/\1>/g, ''));
  const only = rules === undefined ? {} : { runOnly: { type: 'rule', values: rules } };
  const options = { rules: { 'color-contrast': { enabled: false } }, resultTypes: ['violations'], ...only };
  window.eval(axe.source);
  const found = (await window.eval(`axe.run(document, ${JSON.stringify(options)})`)) as AxeResults;
  expect(found.passes.length + found.violations.length).toBeGreaterThan(rules === undefined ? 40 : 0);
  await window.happyDOM.close();
  return findingsOf(found);
}

test('[N-33] axe finds nothing above minor on a page with a pool that waits', async () => {
  expect(await foundOn(await waitingPage())).toEqual([]);
});

test('[N-33] on a page with everything, no summary has something else to press in it', async () => {
  const summaries = (await sampleStatusPage()).match(/<summary>[\s\S]*?<\/summary>/g) ?? [];

  expect(summaries.length).toBeGreaterThan(3);
  expect(summaries.filter((each) => /<(?:a|button|input)\b/.test(each))).toEqual([]);
});

test('[N-33] axe finds what is wrong', async () => {
  const page =
    '<html lang="en"><title>t</title><h1>h</h1><details><summary><a href="#x">x</a></summary></details></html>';

  expect(await foundOn(page, ['nested-interactive'])).toEqual([
    expect.stringContaining('nested-interactive (serious)'),
  ]);
});
