import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../../../local/cli/run-command.ts';

const head = `clusters:
  - name: prod-eu
    api: { server: https://api.prod-eu.example.com:6443, tokenSecret: a/b }
    pools: { worker: {}, infra: {} }
    windows:
      - { kind: allow, schedule: '0 20 * * 6#2', duration: 10h, timeZone: Europe/Berlin, pools: [infra] }
  - name: test
    api: { server: https://api.test.example.com:6443, tokenSecret: a/c }
argocd: [{ name: hub, cluster: prod-eu }]
alerts: { targets: [] }
`;

const windows = `windows:
  - { kind: allow, schedule: 0 22 * * 2, duration: 8h, timeZone: Europe/Berlin, pools: [worker], clusters: [prod-eu], description: Tuesday nights }
  - { kind: deny, from: 2026-12-01, to: 2027-01-07, timeZone: Europe/Berlin }
`;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'poolkeeper-windows-'));
});

afterAll(() => rm(folder, { recursive: true }));

async function run(text: string, ...flags: readonly string[]) {
  const config = join(folder, 'poolkeeper.yaml');
  await writeFile(config, text);
  const said = { out: '', noted: '' };
  const status = await runCommand(['windows', '--config', config, ...flags], {
    out: (each) => {
      said.out += each;
    },
    note: (each) => {
      said.noted += `${each}\n`;
    },
    environment: {},
    now: () => new Date('2026-11-22T10:00:00.000Z'),
  });
  return { status, ...said };
}

describe('poolkeeper windows', () => {
  test('[N-8] shows the windows of each pool and the openings that they leave', async () => {
    const { status, out } = await run(head + windows, '--cluster', 'prod-eu', '--pool', 'worker', '--next', '2');

    expect(status).toBe(0);
    expect(out).toBe(`prod-eu/worker: closed now
  allow 0 22 * * 2 for 8 h (Europe/Berlin): Tuesday nights
  deny 2026-12-01 to 2027-01-07 (Europe/Berlin)
Next openings
  Tue 2026-11-24 22:00 to Wed 2026-11-25 06:00 Europe/Berlin (from 2026-11-24T21:00Z)
  Tue 2027-01-12 22:00 to Wed 2027-01-13 06:00 Europe/Berlin (from 2027-01-12T21:00Z)

prod-eu/every other pool: open now
  deny 2026-12-01 to 2027-01-07 (Europe/Berlin)
Openings, the present one first
  Sun 2026-11-22 11:00 to Tue 2026-12-01 00:00 Europe/Berlin (from 2026-11-22T10:00Z)
  Thu 2027-01-07 00:00 Europe/Berlin, without an end within a year (from 2027-01-06T23:00Z)
`);
  });

  test('[N-8] [N-29] a window of a named pool that must have a label is not left out, nor one that its label may bring', async () => {
    const labelled = `windows:
  - { kind: deny, schedule: 0 8 * * *, duration: 1h, pools: [worker], labels: { tier: db } }
  - { kind: deny, schedule: 0 9 * * *, duration: 1h, labels: { zone: a } }
`;

    const { out } = await run(head + labelled, '--cluster', 'test', '--pool', 'worker', '--output', 'json');

    const shown: readonly { readonly pools: string; readonly windows: readonly string[] }[] = JSON.parse(out);
    const [own, zone] = ['deny 0 8 * * * for 1 h (UTC)', 'deny 0 9 * * * for 1 h (UTC)'];
    expect(shown.map(({ pools, windows: all }) => [pools, all])).toEqual([
      ['worker, if labelled tier=db', [own]],
      ['worker, if labelled zone=a', [zone]],
      ['pools labelled zone=a', [zone]],
    ]);
  });

  test('[N-8] a window of all clusters is on each, unless it names some', async () => {
    const { out } = await run(head + windows, '--output', 'json');

    const shown: readonly { readonly cluster: string; readonly pools: string }[] = JSON.parse(out);
    expect(shown.map(({ cluster, pools }) => `${cluster}/${pools}`)).toEqual([
      'prod-eu/infra',
      'prod-eu/worker',
      'prod-eu/every other pool',
      'test/every other pool',
    ]);
  });

  test('[N-8] a calendar that is read by its address is not known here, and no opening is guessed', async () => {
    const byAddress = `windows:
  - { kind: deny, calendarFrom: { url: 'https://calendar.example.com/a.ics?key=4711' }, pools: [worker] }
`;

    const text = await run(head + byAddress, '--cluster', 'prod-eu', '--pool', 'worker');
    const json = await run(head + byAddress, '--cluster', 'prod-eu', '--pool', 'worker', '--output', 'json');

    expect(text.out).toBe(`prod-eu/worker: not known here
  deny events of the calendar at calendar.example.com (UTC)
a calendar of these windows is read by its address: ask with \`poolkeeper why\` or on the status page
`);
    expect(JSON.parse(json.out)).toEqual([expect.not.objectContaining({ openings: expect.anything() })]);
  });

  test('says so where there is none', async () => {
    const { out } = await run(head.replace(/ {4}windows:\n.*\n/, ''));

    expect(out).toBe('No window is configured: pools resume as soon as their other gates are open.\n');
  });

  const named = `windows:
  - { kind: deny, from: 2026-12-01, to: 2027-01-07, clusters: [prod-eu], pools: [worker] }
`;

  test('[N-8] [N-29] a pool that the file does not name, and that no window covers, is refused', async () => {
    const { status, out, noted } = await run(head + named, '--pool', 'wroker');

    expect(status).toBe(2);
    expect(out).toBe('');
    expect(noted).toContain('--pool wroker: ');
    expect(noted).toContain('poolkeeper.yaml names no such pool, only infra, master, worker');
  });

  test('[N-8] [N-29] of one without a window, beside others that have some, says just that', async () => {
    const master = await run(head + named, '--pool', 'master');
    const infra = await run(head + named, '--cluster', 'test', '--pool', 'infra');

    expect([master.status, infra.status]).toEqual([0, 0]);
    expect(master.out).toBe(
      'No window is configured for pool master: it resumes as soon as its other gates are open.\n',
    );
    expect(infra.out).toContain('No window is configured for pool infra');
  });

  test('[N-8] [N-29] one that the file does not name has the windows without a name, and is told so', async () => {
    const { status, out, noted } = await run(head + windows, '--cluster', 'test', '--pool', 'storage');

    expect(status).toBe(0);
    expect(out).toContain('test/every other pool: open now');
    expect(noted).toContain('names no such pool, only infra, master, worker; shown are the windows');
  });

  test.each([
    [
      'a schedule that never comes',
      "{ kind: allow, schedule: '0 22 30 2 *', duration: 8h }",
      'schedule: must be a cron',
    ],
    ['a sixth field', "{ kind: allow, schedule: '0 0 22 * * 2', duration: 8h }", 'schedule: must be a cron'],
    [
      'a zone that does not exist',
      '{ kind: deny, from: 2026-01-01, to: 2026-01-02, timeZone: Mars/Base }',
      'timeZone: must',
    ],
    ['an end before its beginning', '{ kind: deny, from: 2026-12-01, to: 2026-11-01 }', 'to: must be later than from'],
    [
      'an end at its beginning',
      '{ kind: deny, from: 2026-12-01, to: 2026-12-01T00:00 }',
      'to: must be later than from',
    ],
    [
      'an end before the beginning that the clocks move',
      '{ kind: deny, from: 2026-03-29T02:30, to: 2026-03-29T03:15, timeZone: Europe/Berlin }',
      'to: must be later than from',
    ],
    ['a day that does not exist', '{ kind: deny, from: 2026-02-20, to: 2026-02-30 }', 'to: must be a day that exists'],
    ['neither schedule nor range', '{ kind: deny }', 'must have either schedule and duration, or from and to'],
    ['no duration', "{ kind: allow, schedule: '0 22 * * 2' }", 'duration: is missing; must stand beside schedule'],
    [
      'a cluster that is not there',
      '{ kind: deny, from: 2026-01-01, to: 2026-01-02, clusters: [prod-us] }',
      'names no cluster',
    ],
  ])('[N-8] [C-8] %s is refused where it stands', async (_, window, why) => {
    const { status, noted } = await run(`${head}windows:\n  - ${window}\n`);

    expect(noted).toMatch(/poolkeeper\.yaml:\d+:\d+ windows\[0\]/);
    expect(noted).toContain(why);
    expect(status).toBe(2);
  });
});

describe('poolkeeper windows with a calendar', () => {
  const calendar = `windows:
  - { kind: deny, calendar: ./holidays.ics, timeZone: Europe/Berlin, description: bank holidays }
`;

  test('[N-8] shows the openings between its events', async () => {
    const event =
      'BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20251225\r\nDTEND;VALUE=DATE:20251227\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT';
    await writeFile(join(folder, 'holidays.ics'), `BEGIN:VCALENDAR\r\n${event}\r\nEND:VCALENDAR\r\n`);

    const { out } = await run(head + calendar, '--cluster', 'test', '--next', '2');

    expect(out).toContain(`test/every other pool: open now
  deny events of ./holidays.ics (Europe/Berlin): bank holidays
Openings, the present one first
  Sun 2026-11-22 11:00 to Fri 2026-12-25 00:00 Europe/Berlin (from 2026-11-22T10:00Z)
  Sun 2026-12-27 00:00 to Sat 2027-12-25 00:00 Europe/Berlin (from 2026-12-26T23:00Z)`);
  });

  test.each([
    ['no calendar', 'is not understood: it is no calendar'],
    [undefined, 'cannot be read (ENOENT); the path is relative to this file'],
  ])('[N-8] [N-30] a file that is none is refused where it is named: %s', async (text, why) => {
    await rm(join(folder, 'holidays.ics'), { force: true });
    if (text !== undefined) await writeFile(join(folder, 'holidays.ics'), text);

    const { status, noted } = await run(head + calendar);

    expect(status).toBe(2);
    expect(noted).toMatch(/poolkeeper\.yaml:\d+:\d+ windows\[0\]\.calendar: /);
    expect(noted).toContain(why);
  });
});
