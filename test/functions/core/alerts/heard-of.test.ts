import { describe, expect, test } from 'vitest';
import { alertmanagerForm } from '../../../../functions/core/alerts/message/alertmanager-form.ts';
import { mailMessage } from '../../../../functions/core/alerts/message/mail.ts';
import { notifiedEvent } from '../../../../functions/core/alerts/message/notified-event.ts';
import { pagerDutyForms } from '../../../../functions/core/alerts/message/pager-duty-form.ts';
import { slackReply } from '../../../../functions/core/alerts/message/slack.ts';
import { publishedIncident } from '../../../../functions/core/alerts/published.ts';
import { firstRing } from '../../../../functions/core/alerts/rings.ts';
import { finding, ref } from '../../../../functions/core/findings/make-finding.ts';
import type { Finding, Trouble } from '../../../../functions/core/findings/trouble.ts';
import { judge } from '../../../../functions/core/judge/judge.ts';
import { makeTrouble } from '../../../../functions/core/judge/make-trouble.ts';
import { notAsked, seen } from '../../../../functions/core/text/observed.ts';
import { aPool } from '../../../fakes/builders.ts';
import { drainOf } from '../diagnose/look.ts';
import { aBudget, aDrainingNode, aLiveNode, aPod, aRollingPool, aWorld, now, type World } from '../diagnose/world.ts';
import { aJudgeInput } from '../judge/a-judge-input.ts';
import { passAfter, the } from '../judge/pass-over.ts';
import { aStory, minute, start } from './incident-lab.ts';

/** What holds up the drain of a node: `n1 shop` its budget for good, `n1 shop leaving` a pod in its grace, `n1 shop
 *  overdue` one past it, `n1` nothing that is known. */
type Blocked = string;

function drain(blocked: Blocked): Finding {
  const [node = '', namespace, how] = blocked.split(' ');
  const subject = ref('Node', node);
  const about = { subject, sentence: `${node} cannot be drained.`, confidence: 'likely' } as const;
  if (namespace === undefined) return finding({ ...about, code: 'D0', class: 'unknown' });
  const pod = ref('Pod', 'web-0', namespace);
  const causes = {
    blocks: { code: 'P1', subject: ref('PodDisruptionBudget', 'web', namespace), class: 'structural' },
    leaving: { code: 'T1', subject: pod, class: 'self-healing' },
    overdue: { code: 'T3', subject: pod, class: 'external' },
  } as const;
  const cause = how === 'leaving' || how === 'overdue' ? causes[how] : causes.blocks;
  const because = [finding({ ...cause, sentence: `Held: ${node} ${namespace}.`, confidence: 'certain' })];
  return finding({ ...about, code: 'D1', class: cause.class, because });
}

function drains(...blocked: readonly Blocked[]): Trouble {
  return makeTrouble({
    key: { cluster: 'prod', pool: 'worker', kind: 'drain-blocked' },
    severity: 'warning',
    headline: 'drains blocked',
    since: start.toISOString(),
    findings: blocked.map(drain),
    facts: [],
  });
}

/** Who was told of to everybody after the opening, and at which minutes. */
function toldIn(
  minutes: number,
  look: (minute: number) => readonly string[],
  troubleOf: (...seen: readonly string[]) => Trouble = drains,
): readonly string[] {
  const story = aStory();
  const told: string[] = [];
  for (let at = 0; at < minutes; at += 1) {
    const before = story.incident?.seq ?? 0;
    const blocked = look(at);
    if (blocked.length === 0) story.gone(at);
    else story.wrong(at, troubleOf(...blocked));
    const quiet = ['opened', 'changed', 'reminder'];
    const notes = story.now.notes.filter(({ seq, kind }) => seq > before && !quiet.includes(kind));
    told.push(...notes.map(({ kind, text }) => `${at} ${kind} ${/Held: (\S+ \S+)\./.exec(text)?.[1] ?? ''}`.trim()));
  }
  return told;
}

const teams = Array.from({ length: 10 }, (_, index) => `team-${index}`);
const many = Array.from({ length: 250 }, (_, index) => `n1 own-${index}`);

const long = Array.from({ length: 1000 }, (_, index) => `n1 ${'own-'.repeat(14)}${index}`);

/** A node drains for a quarter of an hour, the next one after it. */
function nodeAt(at: number): number {
  return Math.floor(at / 15);
}

interface Course {
  readonly title: string;
  readonly look: (minute: number) => readonly Blocked[];
  readonly minutes?: number;
  readonly told: readonly string[];
}

const ordinary: readonly Course[] = [
  {
    title: 'ordinary drains, each of which waits for one team at its end',
    look: (at) => ['n1 a', ...(at % 15 < 10 ? [] : [`m${nodeAt(at)} team-${nodeAt(at) % 10} leaving`])],
    told: [],
  },
  {
    title: 'ordinary drains, each of which waits for every team all the time',
    look: (at) => ['n1 a', ...(at < 5 ? [] : teams.map((team) => `m${nodeAt(at)} ${team} leaving`))],
    told: [],
  },
  {
    title: 'ordinary drains whose pods are past their grace for a look',
    look: (at) => ['n1 a', `m${nodeAt(at)} team-${at % 10} ${at % 5 === 4 ? 'overdue' : 'leaving'}`],
    told: [],
  },
  {
    title: 'a pod in its grace, for one look',
    look: (at) => (at === 15 ? ['n1 a', 'n1 b leaving'] : ['n1 a']),
    told: [],
  },
];

const lasting: readonly Course[] = [
  {
    title: 'a budget that never spares a pod is told at once',
    look: (at) => (at < 60 ? ['n1 a'] : ['n1 a', 'n2 shop']),
    told: ['60 escalated n2 shop'],
  },
  {
    title: 'a pod past its grace is told after two minutes',
    look: (at) => (at < 60 ? ['n1 a'] : ['n1 a', 'n2 shop overdue']),
    told: ['62 escalated n2 shop'],
  },
  {
    title: 'what heals by itself and does not is told after an hour',
    look: (at) => (at < 60 ? ['n1 a'] : ['n1 a', 'n2 shop leaving']),
    told: ['120 escalated n2 shop'],
  },
  {
    title: 'of what the opening has shown, what heals by itself is told anew if it has not after an hour',
    look: () => ['n1 shop leaving', 'n2 cart overdue'],
    told: ['62 escalated n1 shop'],
  },
  {
    title: 'what heals by itself and opened the incident is told no second time',
    look: () => ['n1 shop leaving'],
    told: [],
  },
  {
    title: 'a budget is told among ordinary drains that wait for the same team',
    look: (at) => [
      'n1 a',
      `m${nodeAt(at)} shop leaving`,
      ...(at < 100 ? [] : ['n2 b']),
      ...(at < 200 ? [] : ['n3 shop']),
    ],
    told: ['100 escalated n2 b', '200 escalated n3 shop'],
  },
  {
    title: 'a budget is told, whose team was seen to shut a pod down when the incident opened',
    look: (at) => ['n1 a', ...(at < 3 ? ['n1 shop leaving'] : []), ...(at < 30 ? [] : ['n2 shop'])],
    told: ['30 escalated n2 shop'],
  },
];

const alternating: readonly Course[] = [
  {
    title: 'budgets of two teams are told once each',
    look: (at) => ['n1 a', at % 2 === 0 ? 'n2 evil' : 'n2 shop'],
    told: ['1 escalated n2 shop'],
  },
  {
    title: 'pods past their grace of two teams are told once each',
    look: (at) => ['n1 a', at % 2 === 0 ? 'n2 evil overdue' : 'n2 shop overdue'],
    told: ['3 escalated n2 shop'],
  },
  {
    title: 'pods of two teams that shut down, for hours, are told once each',
    look: (at) => ['n1 a', ...(at < 5 ? [] : [at % 2 === 0 ? 'n2 evil leaving' : 'n2 shop leaving'])],
    told: ['65 escalated n2 shop', '76 escalated n2 evil'],
  },
];

const returning: readonly Course[] = [
  {
    title: 'a budget is told anew after an hour in which nobody was to blame',
    look: (at) => (at === 0 ? ['n1 shop'] : at < 200 ? ['n1'] : ['n9 shop']),
    told: ['200 escalated n9 shop'],
  },
  {
    title: 'also on the node that nothing was known of meanwhile',
    look: (at) => (at === 0 ? ['n1 shop'] : at < 200 ? ['n1'] : ['n1 shop']),
    told: ['200 escalated n1 shop'],
  },
  {
    title: 'also beside the budget of another team',
    look: (at) => ['n2 a', ...(at === 0 || at >= 200 ? ['n1 shop'] : [])],
    told: ['200 escalated n1 shop'],
  },
  {
    title: 'also where ordinary drains wait for that team meanwhile',
    look: (at) => [
      'n2 a',
      ...(at === 0 || at >= 200 ? ['n1 shop'] : at % 30 < 10 ? [`m${nodeAt(at)} shop leaving`] : []),
    ],
    told: ['200 escalated n1 shop'],
  },
  {
    title: 'not after half an hour',
    look: (at) => ['n2 a', ...(at % 40 < 10 ? ['n1 shop'] : [])],
    told: [],
  },
];

const unowned: readonly Course[] = [
  {
    title: 'the blocker of a drain that is found later is told in the thread alone',
    look: (at) => (at < 60 ? ['n1'] : ['n1 shop']),
    told: [],
  },
  {
    title: 'the blocker of another node is told to all',
    look: (at) => (at < 300 ? ['n1'] : ['n1', 'n2 shop']),
    told: ['300 escalated n2 shop'],
  },
  {
    title: 'the blocker of another node is told to all, found together with that of the first',
    look: (at) => (at < 30 ? ['n1'] : ['n1 evil', 'n2 shop']),
    told: ['30 escalated n2 shop'],
  },
  {
    title: 'the blocker of another node is told to all, whose team shut down a pod on the first',
    look: (at) => (at < 60 ? ['n1'] : at < 63 ? ['n1 shop leaving'] : ['n1', 'n2 shop']),
    told: ['63 escalated n2 shop'],
  },
  {
    title: 'the blocker of a drain that is found after a pod that shut down is told in the thread alone',
    look: (at) => (at < 60 ? ['n1'] : at < 63 ? ['n1 cart leaving'] : ['n1 shop']),
    told: [],
  },
  {
    title: 'a drain that nobody is known to hold up is told in the thread alone',
    look: (at) => (at < 30 ? ['n1 shop'] : ['n1 shop', 'n2']),
    told: [],
  },
];

const crowded: readonly Course[] = [
  {
    title: 'one more team beside 250 namespaces is told, once',
    look: (at) => [...many, ...(at < 20 ? [] : ['n2 shop'])],
    minutes: 600,
    told: ['20 escalated n2 shop'],
  },
  {
    title: 'of more namespaces than there is room for some are told again every hour',
    look: (at) => (at === 0 ? ['n1 own'] : long),
    minutes: 70,
    told: [`1 escalated ${long[0]}`, `61 escalated ${long[911]}`],
  },
  {
    title: 'one more team is told soon beside 400 namespaces whose pods are past their grace',
    look: (at) => [
      'n2 a',
      ...long.slice(0, 400).map((each) => `${each} overdue`),
      ...(at < 20 ? [] : ['n3 shop overdue']),
    ],
    minutes: 50,
    told: ['22 escalated n3 shop'],
  },
  {
    title: 'one more team is told soon beside 250 namespaces whose pods shut down for hours, and those once',
    look: (at) => ['n2 a', ...many.map((each) => `${each} leaving`), ...(at < 20 ? [] : ['n3 shop overdue'])],
    minutes: 50,
    told: ['22 escalated n3 shop'],
  },
];

/** Nodes that fail: `w1 N9 structural`, with the code and the class of the cause. */
function failing(...nodes: readonly string[]): Trouble {
  const findings = nodes.map((each) => {
    const [node = '', code = '', how] = each.split(' ');
    const kind = how === 'external' || how === 'unknown' || how === 'self-healing' ? how : 'structural';
    const sentence = `Held: ${node} ${code}.`;
    return finding({ code, subject: ref('Node', node), sentence, confidence: 'certain', class: kind });
  });
  const key = { cluster: 'prod', pool: 'worker', kind: 'node-degraded' } as const;
  return makeTrouble({ ...drains(), key, severity: 'high', headline: 'nodes degraded', findings });
}

const hundred = Array.from({ length: 100 }, (_, index) => `w${index} N9`);

const inNoNamespace: readonly Course[] = [
  {
    title: 'another cause on another node is told at once where it never heals by waiting',
    look: (at) => (at < 60 ? ['w1 N9'] : ['w1 N9', 'w2 N20']),
    told: ['60 escalated w2 N20'],
  },
  {
    title: 'another cause on another node is told after two minutes where it is outside',
    look: (at) => (at < 60 ? ['w1 N9'] : ['w1 N9', 'w2 N20 external']),
    told: ['62 escalated w2 N20'],
  },
  {
    title: 'the same cause on a hundred nodes, one after another, is told once',
    look: (at) => hundred.slice(0, 1 + Math.floor(at / 4)),
    told: [],
  },
  {
    title: 'of five causes on a hundred nodes all are told, in one message',
    minutes: 60,
    look: (at) => hundred.map((each, index) => (at === 0 ? each : `w${index} N${9 + (index % 5)}`)),
    told: ['1 escalated w1 N10'],
  },
  {
    title: 'a night of nodes that restart, each for ten minutes, beside one that failed, is told once',
    look: (at) => ['w1 N9', ...(at >= 30 && at % 15 < 10 ? [`m${nodeAt(at)} L1 external`] : [])],
    told: ['32 escalated m2 L1'],
  },
  {
    title: 'what heals by itself and what nobody can explain are told in the thread alone',
    look: (at) => (at < 60 ? ['w1 N9'] : ['w1 N9', 'w2 N20 self-healing', 'w3 N0 unknown']),
    told: [],
  },
  {
    title: 'what is found later on a node that nothing was known of is told in the thread alone',
    look: (at) => (at < 60 ? ['w1 N0 unknown'] : ['w1 N9']),
    told: [],
  },
  {
    title: 'two causes that take turns on one node are told once each',
    look: (at) => [at % 2 === 0 ? 'w1 N9' : 'w1 N20'],
    told: ['1 escalated w1 N20'],
  },
];

test.each(inNoNamespace)('[S1-13] [N-18] [N-30] $title', ({ look, minutes = 480, told }) => {
  expect(toldIn(minutes, look, failing)).toEqual(told);
});

test('[N-18] [N-30] another cause on another node is told while one node comes and goes, once', () => {
  const look = (at: number) => [...(at % 6 < 4 ? ['w1 N9'] : []), ...(at < 32 || at % 6 >= 4 ? [] : ['w2 N20'])];

  expect(toldIn(90, look, failing)).toEqual(['18 flapping', '32 escalated w2 N20']);
});

describe('an incident of a whole cluster', () => {
  /** `own` has failed for long, `other` fails after an hour; and what is seen beside is no news. */
  function judgedAt(at: number, of: 'runs' | 'sequences'): Trouble | undefined {
    const now = new Date(start.getTime() + at * 60_000);
    const since = start.toISOString();
    const names = at < 60 ? ['own'] : ['own', 'other'];
    const runs = names.flatMap((run) =>
      [`${run}-1`, ...(at < 90 ? [] : [`${run}-2`])].map(
        (node) => ({ run, kind: 'job', node, since, why: 'failed', progress: '' }) as const,
      ),
    );
    const sequences = names.map(
      (sequence) =>
        ({ sequence, kind: 'timeout', item: `web-${at < 90 ? 1 : 2}`, cluster: 'prod', since, why: 'late' }) as const,
    );
    const input = of === 'runs' ? { runs: seen(runs) } : { sequences: seen(sequences) };
    return judge(aJudgeInput({ now, ...input })).troubles[0];
  }

  test.each(['runs', 'sequences'] as const)('[S1-13] [N-30] of %s tells everybody of another one, once', (of) => {
    const story = aStory();
    for (let at = 0; at < 200; at += 1) {
      const trouble = judgedAt(at, of);
      if (trouble !== undefined) story.wrong(at, trouble);
    }

    const joined = story.now.notes.filter(({ kind }) => kind === 'escalated');
    expect(joined.map(({ at }) => (Date.parse(at) - start.getTime()) / 60_000)).toEqual([60]);
    expect(joined[0]?.text).toMatch(/^Joined: (Run|Sequence) other.*\. Now: .* other .*(Run|Sequence) other/);
  });

  test('[N-30] knows of a run whose finding was cut when it was stored', () => {
    const story = aStory();
    const trouble = judgedAt(60, 'runs');
    if (trouble === undefined) throw new Error('no run is blocked');
    story.wrong(0, trouble);
    story.replace({ ...story.now, heard: undefined, trouble: { ...trouble, findings: [] } });

    const nextOne = judgedAt(100, 'runs');
    if (nextOne !== undefined) story.wrong(1, nextOne);

    expect(story.notes).toEqual(['opened', 'changed']);
  });
});

test.each([
  ['an open quote', ' password="'],
  ['the head of a key behind a mark of no width', ' -----BEGIN\u200B X-----'],
  ['an open quote that only a cut leaves', ` password="${'x'.repeat(900)}`],
])('[N-29] [N-30] who joins is named whatever the cause before it ends with: %s', (_title, tail) => {
  const failed = (owner: string) =>
    finding({
      code: 'A1',
      subject: ref('Application', 'nodes', owner),
      sentence: `The sync of ${owner}/nodes failed:${tail}`,
      confidence: 'certain',
      class: 'external',
    });
  const of = (...owners: readonly string[]) => makeTrouble({ ...drains(), findings: owners.map(failed) });
  const story = aStory();
  for (const at of [0, 5]) story.wrong(at, of('first'));
  story.wrong(20, of('own', 'bank', 'first'));

  const context = { now: start, occasion: 'escalated', statusUrl: undefined, product: 'poolkeeper 0.1.0' } as const;
  const told = story.now.notes.slice(-1);
  expect(told[0]?.text).toMatch(/^Joined: own and bank\. Now: /);
  expect(JSON.stringify(slackReply(story.now, told, context)?.blocks)).toContain('Joined: own and bank. ');
  const letter = { ...context, deliveryId: 'd1', domain: 'example.com' };
  expect(mailMessage(story.now, told, letter).text).toContain('Joined: own and bank. ');
});

test('[N-18] [N-29] [N-30] pagers, Alertmanager and webhooks are told who has joined, of what waited and of what was last', () => {
  const story = aStory();
  const shown = (unsent: number) => {
    const { notes } = story.now;
    const context = { now: start, occasion: 'escalated', statusUrl: undefined, product: 'poolkeeper 0.1.0' } as const;
    const keyed = { ...context, deliveryId: 'd1', notes: notes.slice(notes.length - unsent) };
    const [page] = pagerDutyForms(story.now, firstRing, keyed);
    expect(alertmanagerForm(story.now, keyed).annotations['news']).toBe(page?.payload.custom_details['news']);
    expect(notifiedEvent(story.now, keyed).data.news?.join('\n')).toBe(page?.payload.custom_details['news']);
    return page?.payload.custom_details['news'];
  };
  story.wrong(0, drains('n1 a'));
  const opened = shown(1);
  story.wrong(20, drains('n1 a', 'n2 own'));
  story.wrong(40, drains('n1 a', 'n2 own', 'n3 bank'));
  const told = ['Joined: own. Now: drains blocked. Held: n2 own.', 'Joined: bank. Now: drains blocked. Held: n3 bank.'];

  expect([opened, shown(2), shown(1), shown(0)]).toEqual([undefined, told.join('\n'), told[1], told[1]]);
  for (const at of [41, 47]) story.gone(at);
  expect([story.now.state, shown(1)]).toEqual(['ok', undefined]);
  story.wrong(50, drains('n1 a'));
  expect([story.now.state, shown(1)]).toEqual(['firing', undefined]);
});

test('[N-29] [N-30] who was gone as one more target was told, of a cause that is new to all, is named as it comes back', () => {
  const audience = (at: number) => ({ hear: at < 20 ? ['ops'] : ['ops', 'team'], all: ['ops', 'team'] });
  const story = aStory({ audience });
  story.wrong(0, drains('n1 a'));
  for (let at = 15; at < 20; at += 1) story.wrong(at, drains('n1 a', 'n2 bank'));
  story.wrong(20, drains('n3 shop'));
  for (let at = 21; at < 90; at += 1) story.wrong(at, drains('n2 bank'));

  const joined = story.now.notes.filter(({ text }) => text.includes('Joined: bank.'));
  expect(joined.map(({ at }) => at)).toEqual([minute(15).toISOString(), minute(25).toISOString()]);
});

test('[N-18] [N-29] [N-30] pagers, Alertmanager and webhooks are told of every cause that there is when it opens, or comes back', () => {
  const story = aStory();
  const shown = () => {
    const context = { now: start, occasion: 'opened', statusUrl: undefined, product: 'poolkeeper 0.1.0' } as const;
    const keyed = { ...context, deliveryId: 'd1', notes: story.now.notes.slice(-1) };
    const [page] = pagerDutyForms(story.now, firstRing, keyed);
    expect(alertmanagerForm(story.now, keyed).annotations['also']).toBe(page?.payload.custom_details['also']);
    expect(notifiedEvent(story.now, keyed).data.also?.join('\n')).toBe(page?.payload.custom_details['also']);
    return page?.payload.custom_details['also'];
  };
  story.wrong(0, drains('n1 own', 'n2 bank'));
  const opened = shown();
  for (const at of [1, 7]) story.gone(at);
  const over = shown();
  story.wrong(9, drains('n1 own', 'n3 shop'));

  expect([opened, over, shown()]).toEqual(['Held: n2 bank.', undefined, 'Held: n3 shop.']);
});

test('[N-29] [N-30] several who are found at once, where nobody was known, are all named in the note of the change', () => {
  const nodes = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
  const story = aStory();
  for (let at = 0; at < 10; at += 1) story.wrong(at, drains(...nodes));
  story.wrong(10, drains(...nodes.map((node) => `${node} of-${node}`)));

  expect(story.notes).toEqual(['opened', 'changed']);
  expect(story.now.notes.at(-1)?.text).toMatch(/^Found: of-n1, of-n2, of-n3, of-n4, of-n5 and of-n6\. Now: /);
  expect(story.now.heard?.map(({ owner }) => owner)).toEqual(nodes.map((node) => `of-${node}`));
});

test('[N-29] [N-30] who is found while another incident mutes it is named as soon as it is not', () => {
  const story = aStory();
  for (const at of [0, 5]) story.wrong(at, drains('n1', 'n2'));
  for (const at of [6, 7]) story.wrong(at, drains('n1 shop', 'n2 bank'), 'PK-7');
  const muted = story.now.heard;
  story.wrong(8, drains('n1 shop', 'n2 bank'));

  expect(muted).toEqual([]);
  expect(story.now.notes.at(-1)?.text).toMatch(/^Found: shop and bank\. Now: /);
});

test.each([...ordinary, ...crowded])('[S1-13] [N-18] [N-30] $title', ({ look, minutes = 480, told }) => {
  expect(toldIn(minutes, look)).toEqual(told);
});

describe('a cause of somebody else that joins', () => {
  test.each([...lasting, ...alternating, ...returning, ...unowned])('[S1-13] [N-30] $title', (course) => {
    expect(toldIn(course.minutes ?? 480, course.look)).toEqual(course.told);
  });
});

/** A pod of worker-2 that shuts down. */
function leaving(name: string, namespace: string, left: number, grace: number) {
  const due = new Date(Date.parse(now) + left * 1000).toISOString();
  const metadata = { deletionTimestamp: due, deletionGracePeriodSeconds: grace };
  return aPod(name, { namespace, app: name, node: 'worker-2', metadata });
}

/** What the drain of worker-2 waits for, beside a budget that spares no pod. */
async function drainBeside(pods: World['pods']): Promise<Trouble> {
  const nodes = [aLiveNode('worker-1'), aDrainingNode('worker-2'), aLiveNode('worker-3')];
  const web = [aPod('web-a', { node: 'worker-2' }), aPod('web-b', { node: 'worker-1' })];
  const world = aWorld({ nodes, machines: [], pods: [...web, ...(pods ?? [])], budgets: [aBudget('web')] });
  const { findings } = await drainOf(world);
  return { ...drains(), ...makeTrouble({ ...drains(), findings }) };
}

test('[S1-13] [N-18] a drain behind one budget is told once, whoever beside it shuts pods down in the first minutes', async () => {
  const router = leaving('router', 'openshift-ingress', 3590, 3600);
  const kafka = leaving('kafka-0', 'kafka', 290, 300);
  const early = await drainBeside([leaving('a-0', 'apps-a', 20, 30), kafka, router]);
  const later = await drainBeside([kafka, router]);
  const late = await drainBeside([router]);
  const story = aStory();

  story.wrong(0, early);
  for (let at = 1; at < 15; at += 1) story.wrong(at, at < 6 ? later : late);

  expect(new Set([early, later, late].map(({ digest }) => digest)).size).toBeGreaterThan(1);
  expect(story.notes.filter((kind) => kind !== 'changed')).toEqual(['opened']);
});

test('[S1-13] [N-18] an ordinary rollout, in which now and then a pod is past its grace at one look, is told once an hour', async () => {
  const leaves = (name: string, namespace: string, left: number, node: string) => {
    const due = new Date(Date.parse(now) + left * 1000).toISOString();
    const metadata = { deletionTimestamp: due, deletionGracePeriodSeconds: 1800 };
    return aPod(name, { namespace, app: name, node, metadata });
  };
  const nodes = [aLiveNode('worker-1'), aDrainingNode('worker-2'), aDrainingNode('worker-3')];
  const drainsOf = async (left: number) => {
    const pods = [leaves('kafka-0', 'kafka', 600, 'worker-2'), leaves('web-0', 'shop', left, 'worker-3')];
    const world = aWorld({ nodes, machines: [], pods });
    return the('drain-blocked', await passAfter(20, { world, pools: [aRollingPool()] }));
  };
  const [inGrace, past] = [await drainsOf(300), await drainsOf(-60)];
  const story = aStory();
  const told: number[] = [];

  for (let at = 0; at < 480; at += 1) {
    const before = story.incident?.seq ?? 0;
    story.wrong(at, at % 15 === 12 ? past : inGrace);
    if (story.incident?.notes.some(({ seq, kind }) => seq > before && kind === 'escalated')) told.push(at);
  }

  expect([inGrace.severity, past.severity]).toEqual(['info', 'warning']);
  expect(told).toEqual([12, 87, 162, 237, 312, 387, 462]);
});

test('[S1-13] [N-18] [N-30] who joins an incident again after its end was told is told again', () => {
  const both = ['n1 a', 'n2 b'];
  const told = toldIn(60, (at) => {
    if (at < 5) return both;
    if (at < 15) return [];
    return at < 25 ? ['n1 a'] : both;
  });

  expect(told).toEqual(['10 resolved', '15 reopened', '25 escalated n2 b']);
});

test('[S1-13] [N-18] [N-30] what is gone when one more target is told is news when it comes back', () => {
  const audience = (at: number) => {
    const [hear, later] = [['ops'], ['ops', 'lead']];
    return at < 30 ? { hear, all: later } : { hear: later, all: later, escalatedTo: ['lead'] };
  };
  const story = aStory({ audience });
  story.wrong(0, drains('n1 a'));
  story.wrong(5, drains('n2 b'));
  story.wrong(30, drains('n2 b'));

  story.wrong(33, drains('n1 a'));
  story.wrong(63, drains('n1 a'));

  expect(story.notes).toEqual(['opened', 'escalated', 'escalated', 'changed', 'escalated']);
  expect(story.now.notes.at(-1)?.text).toContain('Held: n1 a.');
});

describe('a name that is no name of Kubernetes', () => {
  const lock = { since: start.toISOString(), dueAt: start.toISOString() };
  /** An own machine is overdue, then one of another group. */
  function locksAt(at: number, id: string): Trouble {
    const locks = [{ ...lock, group: 'own', id }, ...(at < 20 ? [] : [{ ...lock, group: 'edge', id: 'e1' }])];
    const { troubles } = judge(aJudgeInput({ now: minute(at), overdueLocks: seen(locks) }));
    return troubles[0] ?? drains();
  }

  test.each(['m1', 'm1;n:F1:Machine edge/x', 'm 1:2%3B'])('[N-25] [N-30] makes nobody known: machine %s', (id) => {
    const story = aStory();
    for (let at = 0; at < 40; at += 1) story.wrong(at, locksAt(at, id));

    const joined = story.now.notes.filter(({ kind }) => kind === 'escalated');
    expect(joined.map(({ at, text }) => [at, text.slice(0, 14)])).toEqual([
      [minute(20).toISOString(), 'Joined: edge. '],
    ]);
    expect(story.now.heard?.map(({ owner }) => owner).toSorted()).toEqual(['edge', 'own']);
  });

  test.each(['w.own.io', 'a;n:P1:PodDisruptionBudget shop/x;', 'shop/x', 'not named'])(
    '[N-18] [N-30] makes nobody known, nor itself where its finding was cut: webhook %s',
    (name) => {
      const because = [
        finding({
          code: 'T5',
          subject: ref('Webhook', name),
          sentence: '',
          confidence: 'certain',
          class: 'structural',
        }),
      ];
      const own = makeTrouble({ ...drains(), findings: [{ ...drain('n1 own'), because }] });
      const story = aStory();
      story.wrong(0, own);
      story.replace({ ...story.now, trouble: { ...own, findings: [] } });
      story.wrong(20, makeTrouble({ ...own, findings: [...own.findings, drain('n2 shop')] }));

      expect(story.notes).toEqual(['opened', 'escalated']);
      expect(story.now.notes.at(-1)?.text).toMatch(/^Joined: shop\. .* Held: n2 shop\.$/);
    },
  );

  test('[S0-15] [N-30] makes nobody known: a program that resumes a pool', () => {
    const troubleOf = (by: string) => {
      const program = { at: start.toISOString(), holds: ['sync/hub/openshift-gitops/nodes'] };
      const letGo = { at: start.toISOString(), by, config: '', program };
      const pool = aPool({ record: { kind: 'record', record: { v: 1, holds: [], letGo } } });
      const { troubles } = judge(aJudgeInput({ now: minute(1), pools: seen([{ pool, nodes: notAsked }]) }));
      return troubles.find(({ key }) => key.kind === 'late-pause') ?? drains();
    };

    const [plain, forged] = ['operator', 'x;n:P1:PodDisruptionBudget shop/web'].map(troubleOf);

    expect(plain?.digest).toContain(';operator;');
    expect(forged?.digest.split(';')).toHaveLength(plain?.digest.split(';').length ?? 0);
  });
});

test('[S1-13] [N-30] an own cause that alternates at every look takes no reminder away', () => {
  const story = aStory();
  let reminders = 0;
  for (let at = 0; at < 3 * 1440; at += 1) {
    const before = story.incident?.seq ?? 0;
    story.wrong(at, drains('n1 shop', at % 2 === 0 ? 'n2 own' : 'n3 own'));
    reminders += story.now.notes.filter(({ seq, kind }) => seq > before && kind === 'reminder').length;
    if (at > 0) expect(publishedIncident(story.now, 'updated')?.data.news).not.toContain('Still firing');
  }

  expect(reminders).toBeGreaterThanOrEqual(3);
  expect(story.now.notes.findLast(({ kind }) => kind === 'reminder')?.text).toContain('changes since the last');
});

test('[N-18] PagerDuty has every fact, also of one label', () => {
  const story = aStory();
  const facts = ['a', 'b'].map((value) => ({ label: 'Not delivered', value }));
  story.wrong(0, { ...drains('n1 a'), facts });

  const context = { now: start, occasion: 'opened', statusUrl: undefined, product: 'poolkeeper 0.1.0' } as const;
  const [page] = pagerDutyForms(story.now, firstRing, { ...context, deliveryId: 'd1', notes: story.now.notes });

  expect(page?.payload.custom_details).toMatchObject({ 'Not delivered': 'a; b' });
});
