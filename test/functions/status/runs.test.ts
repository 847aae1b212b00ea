import { describe, expect, it } from 'vitest';
import type { ShownRun } from '../../../functions/core/node-turns/shown-run.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { fakeClock } from '../../fakes/fake-clock.ts';
import { fakeIds } from '../../fakes/index.ts';
import { jobsRun, underWay, waitsForAPerson } from './run-sample.ts';

const now = '2026-03-02T10:24:31.000Z';

function ago(seconds: number): string {
  return new Date(Date.parse(now) - seconds * 1000).toISOString();
}

async function answer(runs: readonly ShownRun[], accept: string): Promise<string> {
  const handle = statusOf({
    views: { list: async () => [] },
    incidents: { list: async () => [] },
    timeline: { latest: async () => [] },
    nodeRollouts: { ended: async () => ({ rollouts: [] }) },
    runViews: { list: async () => runs },
    clock: fakeClock(now).now,
    newId: fakeIds(),
  });
  return (await handle(new Request('http://localhost/status', { headers: { accept } }))).text();
}

const pageOf = (...runs: readonly ShownRun[]) => answer(runs, 'text/html');
const jsonOf = async (...runs: readonly ShownRun[]) => Status.parse(JSON.parse(await answer(runs, 'application/json')));

/** What a person reads. */
function readable(page: string): string {
  return page
    .replace(/<style>[\s\S]*?<\/style>/, '')
    .replace(/<\/?(?:li|p|b|small|h\d|ul|ol|div|details|summary|section|article|span|code|pre)[^>]*>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/\s+/g, ' ');
}

describe('a run on the page', () => {
  it('[S4-20] [N-11] is a row of nodes in the order of their turns, with what is under way, and what comes next and why', async () => {
    const text = readable(await pageOf(underWay(ago)));

    expect(text).toContain('upgrade Under way 2 of 8 nodes done, about 38 min left');
    expect(text).toContain('Pool worker to rendered-worker-5d2c91f0… , paused');
    expect(text).toMatch(
      /worker-1 Done worker-2 Done worker-3 Updates worker-4 Next worker-5 2nd in line worker-6 3rd in line somebody cordoned it worker-7 4th in line worker-8 Held held by its label poolkeeper.dev\/hold/,
    );
    expect(text).toMatch(
      /worker-3 for 4 min, since 10:20:31 UTC Jobs before Update Clean-up it is on its way \(Working\)/,
    );
    expect(text).toContain('Next: worker-4 , when worker-3 is done: 1 node at once');
    expect(text).toContain('poolkeeper run status|pause|go-on|retry|skip|abort upgrade');
  });

  it('[S4-20] [S4-29] that is blocked says at which node of how many, why, since when, and the one thing to do', async () => {
    const text = readable(await pageOf(waitsForAPerson(ago)));

    expect(text).toContain('upgrade Blocked 3 of 8 nodes done, about 31 min left once it goes on');
    expect(text).toMatch(
      /Blocked worker-4 , node 4 of 8 for 12 min, since 10:11:51 UTC databases\/move-primary failed: .*no replica is in sync When that is mended: poolkeeper run retry upgrade worker-4 --reason &quot;...&quot;/,
    );
    expect(text).toContain('Next: worker-5 , when the run goes on: it is blocked');
  });

  it('[S4-20] shows the last lines of a Job that runs as they are, escaped and without credentials', async () => {
    const [first, ...others] = jobsRun(ago).tiles;
    const tail = ['password=hunter22', '<img src=x onerror=alert(1)>', 'switching over'];
    const page = await pageOf({ ...jobsRun(ago), tiles: [...(first ? [{ ...first, tail }] : []), ...others] });

    expect(page).toContain('<code>&lt;img src=x onerror=alert(1)&gt;</code><code>switching over</code>');
    expect(page).not.toContain('hunter22');
    expect(readable(page)).toContain('Next: infra-3 , not yet: gate window: next window 22:00:00 UTC');
  });

  it('[S4-20] [N-29] says of a run that is over nothing of the pause of its pool, which nobody has looked at since', async () => {
    const isPaused = /Pool worker to \S+ , paused/;

    expect(readable(await pageOf(underWay(ago)))).toMatch(isPaused);
    expect(readable(await pageOf({ ...underWay(ago), state: 'idle', done: 8 }))).not.toMatch(isPaused);
  });

  it('[S4-20] is a list for a screen reader that says where each turn is, has an address, and brings no style or script', async () => {
    const page = await pageOf(jobsRun(ago), underWay(ago));

    expect(page).toContain('<h2 id="runs">One node at a time</h2>');
    expect(page).toContain('<a href="#run-certificates">certificates</a>');
    expect(page).toContain('<ol class="tiles" aria-label="Nodes of infra, in the order of their turns">');
    expect(page.match(/class="now" aria-current="step"/g)).toHaveLength(3);
    expect(page.match(/<svg class="sign[^>]*>/g)?.every((sign) => sign.includes('aria-hidden="true"'))).toBe(true);
    expect(page).not.toMatch(/ (style|on\w+)="/);
    expect(page.match(/<script/g)).toHaveLength(1);
  });

  it('[S4-20] stands in JSON as on the page, those that need somebody first, and an old look is called so', async () => {
    const { runs = [] } = await jsonOf(
      { ...underWay(ago), run: 'done', state: 'idle', readAt: ago(7_200) },
      { ...underWay(ago), readAt: ago(1_000) },
      { ...waitsForAPerson(ago), run: 'databases' },
    );

    expect(runs.map(({ name, state, stale }) => [name, state, stale])).toEqual([
      ['databases', 'blocked', false],
      ['upgrade', 'running', true],
      ['done', 'idle', false],
    ]);
    expect(runs[0]?.block).toMatchObject({ node: 'worker-4', place: 4 });
    expect(await jsonOf()).not.toHaveProperty('runs');
  });

  it('[S4-20] [N-29] a look by a clock that was ahead is no recent one', async () => {
    const { runs = [] } = await jsonOf({ ...underWay(ago), readAt: ago(-3_600) });

    expect(runs.map(({ stale }) => stale)).toEqual([true]);
  });
});
