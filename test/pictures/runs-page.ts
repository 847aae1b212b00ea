import type { ShownRun } from '../../functions/core/node-turns/shown-run.ts';
import { statusOf } from '../../functions/status/status-of.ts';
import { fakeIds } from '../fakes/index.ts';

const now = new Date('2026-03-02T10:24:31.000Z');

function ago(seconds: number): string {
  return new Date(now.getTime() - seconds * 1000).toISOString();
}

/** What the status page shows of runs, without the rest of the page. */
export async function runsPage(...runs: readonly ((ago: (seconds: number) => string) => ShownRun)[]): Promise<string> {
  const answer = statusOf({
    newId: fakeIds(),
    views: { list: async () => [] },
    incidents: { list: async () => [] },
    timeline: { latest: async () => [] },
    nodeRollouts: { ended: async () => ({ rollouts: [] }) },
    runViews: { list: async () => runs.map((run) => run(ago)) },
    clock: () => now,
  });
  const response = await answer(new Request('http://localhost/status', { headers: { accept: 'text/html' } }));
  const page = await response.text();
  const [section = ''] = /<section aria-labelledby="runs">[\s\S]*?<\/section>/.exec(page) ?? [];
  return `${page.slice(0, page.indexOf('<body>'))}<body><main>${section}</main></body></html>`;
}
