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

/** `version`: where changes are told, which a page on AWS is not. */
async function pageWith(incidents: readonly Incident[], at = now, version?: string): Promise<string> {
  const handle = statusOf({
    ...(version !== undefined && { changes: () => ({ path: 'status/changes', version }) }),
    ...fakeTables(),
    views: { list: async () => [aView({ readAt: at })] },
    incidents: { list: async () => incidents },
    timeline: { latest: async () => [aTimelineEntry()] },
    newId: fakeIds(),
    clock: () => new Date(at),
  });
  return (await handle(new Request('http://localhost/status', { headers: { accept: 'text/html' } }))).text();
}

/** The dates of a browser: its own now, and its own zone. */
function dateIn(offsetMinutes: number, now: () => number) {
  return class BrowserDate extends Date {
    static override now(): number {
      return now();
    }
    override getTimezoneOffset = () => -offsetMinutes;
    override getFullYear = () => this.#here().getUTCFullYear();
    override getMonth = () => this.#here().getUTCMonth();
    override getDate = () => this.#here().getUTCDate();
    override getHours = () => this.#here().getUTCHours();
    override getMinutes = () => this.#here().getUTCMinutes();
    #here(): Date {
      return new Date(this.getTime() + offsetMinutes * 60_000);
    }
  };
}

/** What a browser makes of server-sent events. */
class FakeEventSource {
  readonly url: string;
  /** 0: it tries to connect, by itself; 1: it hears; 2: it gave up. */
  readyState = 1;
  onmessage = (_message: { readonly data: string }) => {};
  onerror = () => {};

  constructor(url: string) {
    this.url = url;
  }

  close(): void {
    this.readyState = 2;
  }
}

type Answer = { readonly status: number; readonly text: string } | 'none';

/** The page in a browser whose timers ring when the test says so, so many minutes ahead of UTC. */
async function open(first: string, answers: readonly Answer[] = [], offsetMinutes = 0) {
  const window = new Window({ url: 'http://localhost/status' });
  const { document } = window;
  document.write(first);
  const left = [...answers];
  const timers: (() => Promise<void>)[] = [];
  const sources: FakeEventSource[] = [];
  let asked = 0;
  let nowMs = Date.parse(now);
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  const BrowserDate = dateIn(offsetMinutes, () => nowMs);
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
    Date: BrowserDate,
    EventSource: class extends FakeEventSource {
      constructor(url: string) {
        super(url);
        sources.push(this);
      }
    },
    fetch: async () => {
      asked += 1;
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
    /** A quarter of a minute later. */
    look: async () => {
      nowMs += 15_000;
      await timers.shift()?.();
    },
    sources,
    asked: () => asked,
    /** A version is told; resolves when the page has taken it in. */
    tell: async (data: string) => {
      sources.at(-1)?.onmessage({ data });
      await new Promise((resolve) => setImmediate(resolve));
    },
    hide: async (is: boolean) => {
      isHidden = is;
      document.dispatchEvent(new Event('visibilitychange'));
      await new Promise((resolve) => setImmediate(resolve));
    },
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

  test('says local times beside those of the page, and again after it has changed', async () => {
    const text = await pageWith([anIncident()], later);
    const page = await open(await pageWith([anIncident()]), [{ status: 200, text }], 330);
    const beside = () =>
      [...page.document.querySelectorAll('time:not(.local)')].map((time) => [
        time.textContent,
        time.nextElementSibling?.textContent,
      ]);
    const first = beside();

    await page.look();

    expect(first[0]).toEqual(['10:24:30 UTC', '(15:54:30 local)']);
    expect(beside()[0]).toEqual(['10:25:30 UTC', '(15:55:30 local)']);
    expect(beside().length).toBeGreaterThan(1);
    expect(page.document.querySelectorAll('.local .local, .local + .local')).toHaveLength(0);
    const spoken = [...page.document.querySelectorAll('time')].map((time) => time.getAttribute('datetime'));
    expect(spoken.filter((at) => Number.isNaN(Date.parse(at ?? '')))).toEqual([]);
  });

  test('a local time on another day has its date, and one that is that of the page is not said twice', async () => {
    const early = await open(await pageWith([], '2026-03-02T01:02:03.000Z'), [], -480);
    const same = await open(await pageWith([]));

    expect(early.document.querySelector('.asof .local')?.textContent).toBe('(2026-03-01 17:02:03 local)');
    expect(same.document.querySelectorAll('.local')).toHaveLength(0);
    expect(same.document.querySelector('.asof time')?.getAttribute('title')).toContain('(your time)');
  });
});

describe('[N-33] where changes are told', () => {
  const first = () => pageWith([], now, 'p.1');
  const second = async () => ({ status: 200, text: await pageWith([anIncident()], later, 'p.2') });

  test('the page shows what is new as soon as it hears of it, and asks for nothing that it shows already', async () => {
    const page = await open(await first(), [await second()]);
    await page.tell('p.1');
    const before = page.asked();
    await page.tell('p.2');
    await page.tell('p.2');

    expect(page.sources.map(({ url }) => url)).toEqual(['status/changes']);
    expect([before, page.asked()]).toEqual([0, 1]);
    expect(page.document.querySelector('h1')?.textContent).toBe(worst);
  });

  test('it does not ask by itself while it hears something, but once a minute, as times go on', async () => {
    const page = await open(await first(), [await second()]);
    const asked: number[] = [];
    for (let quarter = 0; quarter < 4; quarter += 1) {
      await page.tell('p.1');
      await page.look();
      asked.push(page.asked());
    }

    expect(asked).toEqual([0, 0, 0, 1]);
  });

  test('when nothing is heard any more it asks every 15 seconds, whatever the reason', async () => {
    const page = await open(await first(), [await second(), await second(), await second()]);
    await page.tell('p.1');
    await page.look();
    const during = page.asked();

    await page.look();
    page.sources[0]?.onerror();
    await page.look();

    expect([during, page.asked()]).toEqual([0, 2]);
    expect(page.sources).toHaveLength(1);
  });

  test('one that was refused is asked for again, one that connects again by itself is left to it', async () => {
    const page = await open(await first(), [await second(), await second(), await second()]);
    const connecting = page.sources[0];
    if (connecting !== undefined) connecting.readyState = 0;
    await page.look();
    const before = page.sources.length;
    connecting?.close();
    await page.look();

    expect([before, page.sources.length]).toEqual([1, 2]);
  });

  test('a page in the background hangs up, asks as others do, and listens again when it is looked at', async () => {
    const page = await open(await first(), [await second(), await second(), await second()]);
    await page.hide(true);
    await page.look();
    const hidden = [page.sources.map(({ readyState }) => readyState), page.asked()];
    await page.hide(false);

    expect(hidden).toEqual([[2], 2]);
    expect(page.sources.map(({ readyState }) => readyState)).toEqual([2, 1]);
  });

  test('after a restart of Poolkeeper the page is taken anew', async () => {
    const text = await pageWith([anIncident()], later, 'q.0');
    const page = await open(await first(), ['none', { status: 200, text }]);
    page.sources[0]?.onerror();
    await page.look();
    const lost = page.document.querySelector('.asof')?.textContent;
    await page.tell('q.0');

    expect(lost).toContain('Not current: Poolkeeper does not answer.');
    expect(page.document.querySelector('h1')?.textContent).toBe(worst);
    expect(page.document.querySelector('.asof')?.textContent).not.toContain('Not current');
  });

  test('on AWS nobody is asked for them', async () => {
    const page = await open(await pageWith([]));

    await page.look();

    expect(page.sources).toEqual([]);
    expect(page.document.querySelector('.turn')?.textContent).toContain('refreshes every 15 s');
    expect((await open(await first())).document.querySelector('.turn')?.textContent).toContain('refreshes by itself');
  });

  test('a page whose refresh was stopped does not listen', async () => {
    const stopped = (await first()).replace('data-refresh="15"', 'data-refresh="0"');

    expect((await open(stopped)).sources).toEqual([]);
  });
});
