import { describe, expect, it } from 'vitest';
import { html, styleElement, textOf } from '../../../functions/status/html.ts';
import { Status } from '../../../functions/status/status.ts';
import { statusOf } from '../../../functions/status/status-of.ts';
import { aGateView, anIncident, aPoolView, aTimelineEntry, aTrouble, aView } from '../../fakes/builders.ts';
import { fakeClock } from '../../fakes/fake-clock.ts';
import { fakeIds } from '../../fakes/index.ts';
import { hostileWorld } from '../hostile-world.ts';

async function answerTo(text: string, accept = 'text/html'): Promise<string> {
  const { views, incidents, timeline, rollouts, sequences, runs } = hostileWorld(text);
  const handle = statusOf({
    newId: fakeIds(),
    views: { list: async () => views },
    incidents: { list: async () => incidents },
    timeline: { latest: async () => timeline },
    nodeRollouts: { ended: async () => ({ rollouts }) },
    sequenceViews: { list: async () => sequences },
    runViews: { list: async () => runs },
    clock: fakeClock('2026-03-02T10:30:00.000Z').now,
  });
  const response = await handle(new Request('http://localhost/status', { headers: { accept } }));
  return response.text();
}

/** Tag names with the names of their attributes: the skeleton that no name may change. */
function skeletonOf(page: string): readonly string[] {
  const tags = page.replace(/<style>[\s\S]*?<\/style>/, '').match(/<\/?[a-z][^<>]*>/gi) ?? [];
  return tags.map((tag) => tag.replace(/="[^"]*"/g, '=""'));
}

describe('names that mean harm', () => {
  const harmless = 'a harmless name';
  /** It is in no command either, as one with a back-tick. */
  const unprinted = 'a  harmless name';

  it.each([
    ['an element', '<script>alert(1)</script>'],
    ['the end of the style', '</style></head><body onload=alert(1)>'],
    ['quotes', `" onmouseover="alert(1)" x='y'`],
    ['an event handler in an image', '<img src=x onerror=alert(1)>'],
    ['a comment', '--><!-- <b>'],
    ['an entity', '&lt;script&gt;&#x3c;b&#x3e;'],
    ['a link', '<a href="javascript:alert(1)">PK-7</a>'],
    ['a template', '#{1} {{constructor}} <%= 1 %>'],
    ['a base', '<base href="https://evil.example/">'],
    ['a refresh', '<meta http-equiv="refresh" content="0;url=https://evil.example">'],
    ['a back-tick', '`1`'],
    ['a key of objects', '__proto__'],
    ['another key of objects', 'constructor'],
  ])('%s changes nothing of the page', async (_, text) => {
    const [page, usual] = await Promise.all([answerTo(text), answerTo(text.includes('`') ? unprinted : harmless)]);

    expect(skeletonOf(page.replace(/<a href="#PK-7">PK-7<\/a>/g, ''))).toEqual(skeletonOf(usual));
  });

  it('[N-29] [N-30] a name that would be changed where it is printed is in no command', async () => {
    const pages = await Promise.all(["'`;reboot;#", "'; reboot; data:,x"].map((text) => answerTo(text)));

    expect(await answerTo("'; reboot; #")).toMatch(/<pre[^>]*><code>[^<]*reboot/);
    for (const page of pages) expect(page).not.toMatch(/<pre[^>]*><code>[^<]*reboot/);
  });

  it('an incident number inside a name becomes a link to our own anchor and nothing else', async () => {
    const page = await answerTo('" PK-7 "');

    expect(page).toContain('&quot; <a href="#PK-7">PK-7</a> &quot;');
  });

  it('control characters and marks that turn the reading direction do not reach the page', async () => {
    const page = await answerTo('worker\u202Ereknip\u2066\u200F\u0000\u001B[31m\u0085\u200B\u{E0041}end');

    expect(page).toContain('workerreknip[31m');
    expect(page).not.toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these must be gone
      /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B-\u200F\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E0FFF}]/u,
    );
  });

  it('half a surrogate pair does not break the answer', async () => {
    const [page, json] = await Promise.all([answerTo('a\uD800b'), answerTo('a\uD800b', 'application/json')]);

    expect(page).toContain('a\uFFFDb');
    expect(() => Status.parse(JSON.parse(json))).not.toThrow();
  });

  it('a name of 300 characters is shown whole, and the style lets it break anywhere', async () => {
    const name = `worker-${'x'.repeat(293)}`;

    const page = await answerTo(name);

    expect(page).toContain(`<span class="name">${name}</span>`);
    expect(page).toMatch(/body\{[^}]*overflow-wrap:anywhere/);
  });

  it('a text of 100,000 characters does not blow up the page', async () => {
    const view = hostileWorld('x').views[0];
    const long = 'm'.repeat(100_000);
    const handle = statusOf({
      newId: fakeIds(),
      views: {
        list: async () =>
          view === undefined ? [] : [{ ...view, pools: view.pools.map((pool) => ({ ...pool, message: long })) }],
      },
      incidents: { list: async () => [] },
      timeline: { latest: async () => [] },
      nodeRollouts: { ended: async () => ({ rollouts: [] }) },
      clock: fakeClock().now,
    });

    const page = await (await handle(new Request('http://localhost/status'))).text();

    // Without the style sheet, which is the same on every page.
    expect(page.replace(/<(style|script)>[\s\S]*?<\/\1>/g, '').length).toBeLessThan(28_000);
    expect(page).toContain('chars)');
  });

  it('credentials in what a cluster says are shown nowhere', async () => {
    const secret = 'hunter2hunter2';
    const text = `pull failed: https://user:${secret}@registry.example.com with Bearer ${secret}`;
    const at = '2026-03-02T10:20:00.000Z';
    const pool = aPoolView({
      paused: true,
      pauseOf: 'ours',
      degraded: true,
      message: text,
      holds: [{ id: 'manual/anna', kind: 'manual', who: 'anna', why: text, phase: '', since: at, until: at }],
      closedGates: [
        aGateView({ gate: 'rendered', why: text, value: text, threshold: text, since: at, opens: text, who: text }),
      ],
    });
    const finding = hostileWorld(text).incidents[0]?.trouble?.findings ?? [];
    const trouble = aTrouble({ headline: text, findings: finding, facts: [{ label: 'Error', value: text }] });
    const handle = statusOf({
      newId: fakeIds(),
      views: { list: async () => [aView({ blind: { why: text, since: at, misses: 3 }, pools: [pool] })] },
      incidents: { list: async () => [anIncident({ trouble, inhibitedBy: text })] },
      timeline: { latest: async () => [aTimelineEntry({ text })] },
      nodeRollouts: { ended: async () => ({ rollouts: [] }) },
      clock: fakeClock('2026-03-02T10:30:00.000Z').now,
    });

    const texts = await Promise.all(
      ['text/html', 'application/json'].map(async (accept) =>
        (await handle(new Request('http://localhost/status', { headers: { accept } }))).text(),
      ),
    );

    for (const shown of texts) {
      expect(shown.match(/pull failed: https:\/\/\[removed\]@registry/g)?.length).toBeGreaterThan(8);
      expect(shown).not.toContain(secret);
    }
  });

  it('the JSON is JSON whatever the names are, and no browser takes it for a page', async () => {
    const text = '</script><script>alert(1)</script>\u2028\u2029"';

    const status = Status.parse(JSON.parse(await answerTo(text, 'application/json')));

    expect(status.clusters[0]?.name).toBe(text);
  });
});

describe('the template that makes markup', () => {
  it('escapes text and attributes, joins lists, leaves out nothing and false, and keeps markup of its own', () => {
    const inner = html`<b title="${'"\'<>&'}">${['a<', 1, html`<i>${'x'}</i>`, undefined, false]}</b>`;

    const text = textOf(html`<p>${inner}</p>`);

    expect(text).toBe('<p><b title="&quot;&#39;&lt;&gt;&amp;">a&lt;1<i>x</i></b></p>');
  });

  it('parsed JSON cannot pretend to be markup', () => {
    const forged = JSON.parse('[{"markup":"<b>","text":"<b>"}]');

    expect(() => textOf(html`${forged}`)).toThrow(TypeError);
  });

  it('a style sheet that could end its element is refused', () => {
    expect(() => styleElement('</style>')).toThrow(TypeError);
  });
});
