import { Event, Window } from 'happy-dom';
import { describe, expect, test } from 'vitest';
import type { Incident } from '../../../functions/core/alerts/incident.ts';
import { liveScript } from '../../../functions/status/page/live.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { anIncident, aTimelineEntry, aView, fakeIds, fakeTables } from '../../fakes/index.ts';
import { firing } from '../core/alerts/samples.ts';

const now = '2026-03-02T10:24:30.000Z';
const over = anIncident({
  key: { cluster: 'prod', pool: 'infra', kind: 'drain-blocked' },
  number: 3,
  state: 'ok',
  resolvedAt: '2026-03-02T10:00:00.000Z',
});

async function pageWith(incidents: readonly Incident[], at = now): Promise<string> {
  const handle = statusOf({
    ...fakeTables(),
    views: { list: async () => [aView({ readAt: at })] },
    incidents: { list: async () => incidents },
    timeline: { latest: async () => [aTimelineEntry()] },
    newId: fakeIds(),
    clock: () => new Date(at),
  });
  return (await handle(new Request('http://localhost/status', { headers: { accept: 'text/html' } }))).text();
}

type Answer = { readonly status: number; readonly text: string } | 'none';

/** The page in a browser whose timers ring when the test says so. */
async function open(first: string, answers: readonly Answer[] = []) {
  const window = new Window({ url: 'http://localhost/status' });
  const { document } = window;
  document.write(first);
  const left = [...answers];
  const timers: (() => Promise<void>)[] = [];
  const copied: string[] = [];
  const scrolledTo: number[][] = [];
  let reloads = 0;
  let isSelecting = false;
  const globals = {
    document,
    DOMParser: window.DOMParser,
    location: { href: 'http://localhost/status', reload: () => (reloads += 1) },
    navigator: { clipboard: { writeText: async (text: string) => void copied.push(text) } },
    getSelection: () => ({ isCollapsed: !isSelecting, anchorNode: document.querySelector('h1') }),
    scrollX: 0,
    scrollY: 640,
    scrollTo: (...to: number[]) => void scrolledTo.push(to),
    setTimeout: (ring: () => Promise<void>, ms: number) => {
      expect(ms).toBe(15_000);
      timers.push(ring);
    },
    fetch: async () => {
      const answer = left.shift() ?? 'none';
      if (answer === 'none') throw new TypeError('fetch failed');
      return { status: answer.status, text: async () => answer.text };
    },
  };
  new Function(...Object.keys(globals), liveScript)(...Object.values(globals));
  return {
    document,
    copied,
    scrolledTo,
    reloads: () => reloads,
    left: () => left.length,
    select: (is: boolean) => {
      isSelecting = is;
    },
    look: async () => timers.shift()?.(),
  };
}

const later = '2026-03-02T10:25:30.000Z';
const worst = 'worker of prod: drain of worker-2 blocked by PDB shop/web. 1 incident firing.';

describe('[N-33] the status page stays current without reloading', () => {
  test('shows the new state, says it to those who hear the page, and keeps title and icon true', async () => {
    const page = await open(await pageWith([]), [{ status: 200, text: await pageWith([anIncident()], later) }]);
    const calmIcon = page.document.querySelector('link[rel=icon]')?.getAttribute('href');

    await page.look();

    expect(page.document.querySelector('h1')?.textContent).toBe(worst);
    expect(page.document.getElementById('news')?.textContent).toBe(worst);
    expect(page.document.title).toContain('1 incident firing');
    expect(page.document.querySelector('link[rel=icon]')?.getAttribute('href')).not.toBe(calmIcon);
    expect(page.document.querySelector('.asof')?.textContent).toContain('10:25:30 UTC');
  });

  test('opened details stay open though their figures change, closed ones closed, and the place stays', async () => {
    const two = { ...over, key: { ...over.key, pool: 'gpu' }, number: 4 };
    const page = await open(await pageWith([over]), [{ status: 200, text: await pageWith([over, two], later) }]);
    const details = () => page.document.querySelectorAll('details');
    for (const each of details()) each.open = each.id === 'resolved';

    await page.look();

    expect(page.document.getElementById('resolved')?.textContent).toContain('2 recently resolved');
    expect([...details()].filter((each) => each.open).map(({ id }) => id)).toEqual(['resolved']);
    expect(page.scrolledTo).toEqual([[0, 640]]);
  });

  test('the focus stays where it was', async () => {
    const page = await open(await pageWith([over]), [{ status: 200, text: await pageWith([over], later) }]);
    page.document.querySelector('#resolved')?.querySelector('summary')?.focus();

    await page.look();

    expect(page.document.activeElement?.closest('details')?.id).toBe('resolved');
  });

  test('a text that somebody selects is not taken away', async () => {
    const text = await pageWith([anIncident()], later);
    const page = await open(await pageWith([]), [
      { status: 200, text },
      { status: 200, text },
    ]);
    page.select(true);
    await page.look();
    const during = page.document.querySelector('h1')?.textContent;
    const [title, asof] = [page.document.title, page.document.querySelector('.asof')?.textContent];
    page.select(false);
    await page.look();

    expect(during).not.toContain('incident');
    expect(title).toContain('1 incident firing');
    expect(asof).toContain('Not current: it waits while text is selected.');
    expect(page.document.querySelector('h1')?.textContent).toBe(worst);
  });

  test('[N-29] says that it is not current when nothing answers, and no longer when something does', async () => {
    const text = await pageWith([], later);
    const page = await open(await pageWith([]), ['none', 'none', { status: 200, text }]);
    await page.look();
    await page.look();
    const failing = page.document.querySelector('.asof')?.textContent;
    await page.look();

    expect(failing?.match(/Not current: Poolkeeper does not answer\./g)).toHaveLength(1);
    expect(page.document.querySelector('.asof')?.textContent).not.toContain('Not current');
  });

  test('what is not the page is not shown, and a token that is over is asked for anew', async () => {
    const page = await open(await pageWith([]), [
      { status: 502, text: '<h1>Bad gateway</h1>' },
      { status: 401, text: '' },
    ]);
    await page.look();
    const failing = page.document.querySelector('.asof')?.textContent;
    await page.look();

    expect(failing).toContain('Not current: Poolkeeper answered 502.');
    expect(page.document.querySelector('h1')?.textContent).not.toBe('Bad gateway');
    expect(page.reloads()).toBe(1);
  });

  test('copies a command, also after the page has changed', async () => {
    const text = await pageWith([firing], later);
    const page = await open(await pageWith([firing]), [{ status: 200, text }]);
    await page.look();
    const button = page.document.querySelector('button.copy');
    const command = button?.previousElementSibling?.textContent ?? '';

    button?.dispatchEvent(new Event('click'));
    await Promise.resolve();

    expect(command).toMatch(/^oc /);
    expect(page.copied).toEqual([command]);
  });

  test('says local times beside those of the page', async () => {
    const page = await open(await pageWith([]));

    const titles = [...page.document.querySelectorAll('time[datetime]')].map((time) => time.getAttribute('title'));

    expect(titles.length).toBeGreaterThan(1);
    expect(titles.every((title) => title?.endsWith('(your time)'))).toBe(true);
  });
});
