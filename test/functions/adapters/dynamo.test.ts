import { DynamoDBClient, GetItemCommand, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { dynamoTables, openDynamoDb } from '../../../functions/adapters/aws/dynamo-tables.ts';
import { systemRuntime } from '../../../functions/adapters/time/system-runtime.ts';
import type { Incident, NoteKind } from '../../../functions/core/alerts/incident.ts';
import { mailMessage } from '../../../functions/core/alerts/message/mail.ts';
import { withNote } from '../../../functions/core/alerts/notes.ts';
import { planDelivery } from '../../../functions/core/alerts/plan-delivery.ts';
import { remedy } from '../../../functions/core/diagnose/remedies.ts';
import { evidence, finding, ref } from '../../../functions/core/findings/make-finding.ts';
import type { Finding, Trouble } from '../../../functions/core/findings/trouble.ts';
import { makeTrouble } from '../../../functions/core/judge/make-trouble.ts';
import type { PoolRecord } from '../../../functions/core/openshift/pool-record.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { command } from '../../../functions/core/text/shell-words.ts';
import { untoldSteps } from '../../../functions/core/timeline/told-steps.ts';
import type { HoldView } from '../../../functions/core/timeline/view.ts';
import { dynaliteTablesLab } from '../../contracts/dynalite-labs.ts';
import {
  aDelivery,
  aMemory,
  anIncident,
  aPoolView,
  aRace,
  aTimelineEntry,
  aTrouble,
  aView,
  fakeClock,
} from '../../fakes/index.ts';
import { type StubReply, startStub } from './stub-server.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const day = 24 * 3600;

describe('in the table', () => {
  let lab: Awaited<ReturnType<typeof dynaliteTablesLab>>;
  let raw: DynamoDBClient;

  beforeAll(async () => {
    lab = await dynaliteTablesLab();
    raw = new DynamoDBClient({ endpoint: lab.endpoint, region: 'us-east-1', credentials });
  });

  afterAll(async () => {
    raw.destroy();
    await lab.close();
  });

  async function itemsOf(pk: string) {
    const answer = await raw.send(
      new QueryCommand({
        TableName: lab.table,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': { S: pk } },
      }),
    );
    return answer.Items ?? [];
  }

  test('every item expires some day', async () => {
    await lab.incidents.save(anIncident());
    await lab.checkpoints.save(aMemory({ cluster: 'expiring' }));
    await lab.races.save(aRace({ cluster: 'expiring' }));
    await lab.views.save(aView({ cluster: 'expiring' }));
    await lab.timeline.append([aTimelineEntry({ id: 'expiring' })]);

    const now = Math.floor(lab.clock.now().getTime() / 1000);
    const items = await Promise.all(
      ['incident', 'memory', 'race#expiring', 'view', 'timeline', 'told#expiring'].map(itemsOf),
    );
    for (const [first] of items) expect(Number(first?.['ttl']?.N)).toBeGreaterThan(now + 29 * day);
  });

  test("[N-30] [S0-2] such a view keeps those of each AppProject in Argo CD's own namespace, too", async () => {
    const [since, until] = ['2026-03-02T09:00:00.000Z', '2026-03-02T11:00:00.000Z'];
    const holds = Array.from({ length: 151 }, (_, nth): HoldView => {
      const [name, project] = nth < 150 ? [`x${nth}`, 'team-a'] : ['nodes', 'team-b'];
      const who = `openshift-gitops/${name}`;
      return { id: `sync/hub/${who}`, kind: 'sync', who, project, why: 'it syncs', phase: 'syncing', since, until };
    });
    const pools = Array.from({ length: 20 }, (_, nth) => aPoolView({ name: `p-${nth}`, paused: true, holds }));
    await lab.views.save(aView({ cluster: 'of-projects', pools }));

    const found = (await lab.views.load('of-projects'))?.pools.at(-1)?.holds ?? [];

    expect(found.slice(0, 2).map(({ who, project }) => `${who} ${project}`)).toEqual([
      'openshift-gitops/x0 team-a',
      'openshift-gitops/nodes team-b',
    ]);
  });

  test('[N-30] [S0-2] a view with more holds than there is room for keeps those of people and of other namespaces, and counts the rest', async () => {
    const hold = (id: string, change: Partial<HoldView> = {}): HoldView => {
      const who = id.split('/').slice(2).join('/');
      const [since, until] = ['2026-03-02T09:00:00.000Z', '2026-03-02T11:00:00.000Z'];
      return { id, kind: 'sync', who, why: 'it syncs', phase: 'syncing', since, until, ...change };
    };
    const many = Array.from({ length: 150 }, (_, nth) => hold(`sync/hub/tenant/x${nth}`));
    const overruled = hold('sync/hub/early/old', { overruled: { at: '2026-03-02T09:30:00.000Z', by: 'anna' } });
    const freeze = hold('freeze/anna', { kind: 'freeze', who: 'anna', phase: '' });
    const holds = [overruled, ...many, hold('sync/hub/other/nodes'), freeze];
    const pools = Array.from({ length: 20 }, (_, nth) => aPoolView({ name: `p-${nth}`, paused: true, holds }));
    await lab.views.save(aView({ cluster: 'held', pools }));

    const found = (await lab.views.load('held'))?.pools.at(-1)?.holds ?? [];

    expect(found.slice(0, 3).map(({ who }) => who)).toEqual(['anna', 'tenant/x0', 'other/nodes']);
    expect(found).toHaveLength(11);
    expect(found.at(-2)).toMatchObject({ who: '143 more', phase: 'syncing' });
    expect(found.at(-1)).toEqual(overruled);
  });

  test('[S1-13] [N-30] an incident of many causes has room, also with the many that people were told of', async () => {
    const findings = Array.from({ length: 120 }, (_, nth) =>
      finding({
        code: 'A2',
        subject: ref('Application', `app-${nth}`, 'team'),
        sentence: `${nth} ${'x'.repeat(2500)}`,
        confidence: 'certain',
        class: 'external',
      }),
    );
    const many = aTrouble({ findings, digest: 'd'.repeat(60_000) });
    const incident = anIncident({
      key: { cluster: 'many', pool: 'worker', kind: 'sync-stuck' },
      trouble: { ...many, headline: 'another' },
      cause: many,
    });

    expect(await lab.incidents.save(incident)).toBe(true);

    const stored = await lab.incidents.loadOne(incident.key);
    expect(stored?.trouble?.headline).toBe('another');
    expect(stored?.cause?.headline).toBe(many.headline);
    expect(stored?.trouble?.findings).not.toEqual([]);
  });

  describe('an incident that is too large for its row', () => {
    const audience = { hear: ['mail', 'pager'], all: ['mail', 'pager'] };
    const since = '2026-03-02T10:00:00.000Z';
    const minute = (minutes: number) => new Date(Date.parse(since) + minutes * 60_000);

    /** Failed syncs of one team, and one of another: by turns, as they are judged. */
    function failed(cluster: string, many: number, longName = 'x'.repeat(200)): Trouble {
      const sentence = '同'.repeat(240);
      const names = Array.from({ length: many }, (_, nth) => `loud/${nth}-${longName}`);
      const findings = [...names.slice(0, 1), 'bank/pay', ...names.slice(1)].map((name) => {
        const [namespace = '', app = ''] = name.split('/');
        const of = { ...ref('Application', app, namespace), project: namespace };
        return finding({
          code: 'A1',
          subject: of,
          sentence: `The sync of ${name} failed: ${sentence}`,
          confidence: 'certain',
          class: 'external',
          evidence: ['phase', 'revision', 'message'].map((path) => evidence(of, path, sentence, since)),
          remedies: [remedy('Sync it again', { command: command('argocd', 'app', 'sync', name) })],
        });
      });
      const key = { cluster, pool: 'worker', kind: 'run-failed' } as const;
      return makeTrouble({ key, severity: 'high', headline: 'syncs failed', since, findings, facts: [] });
    }

    /** As it is stored after this note. */
    async function noted(before: Incident, kind: NoteKind, minutes: number, trouble: Trouble): Promise<Incident> {
      const state = kind === 'resolved' ? 'ok' : 'firing';
      const next = withNote({ ...before, state, trouble }, kind, kind, { now: minute(minutes), targets: audience });
      expect(await lab.incidents.save(next)).toBe(true);
      return (await lab.incidents.loadOne(next.key)) ?? next;
    }

    function told({ seq, ...incident }: Incident): Incident {
      const channel = { announced: true, remote: { channel: 'c', id: '1' } };
      const delivery = aDelivery({ ...channel, wantedSeq: seq, deliveredSeq: seq, threadSeq: seq });
      return { ...incident, seq, deliveries: Object.fromEntries(audience.all.map((name) => [name, delivery])) };
    }

    function owed(incident: Incident) {
      const kinds = { mail: 'email', pager: 'pagerduty' } as const;
      return Object.entries(kinds).map(([name, kind]) =>
        planDelivery(incident, incident.deliveries[name] ?? aDelivery(), { kind }, minute(200)),
      );
    }

    const unheard = (cluster: string) =>
      anIncident({ key: { cluster, pool: 'worker', kind: 'run-failed' }, seq: 0, notes: [] });

    test.each([
      ['and evidence goes', 'evidence', 150, undefined],
      ['and notes go, too', 'all', 5, 'x'.repeat(120_000)],
    ])(
      '[N-18] [N-30] owes mail and pager what nobody could tell them for forty changes, %s',
      async (_, of, many, longName) => {
        const trouble = failed(`owed-${of}`, many, longName);
        let incident = told(await noted(unheard(trouble.key.cluster), 'opened', 0, trouble));
        incident = await noted(incident, 'escalated', 1, trouble);

        for (let minutes = 2; minutes < 42; minutes += 1) incident = await noted(incident, 'changed', minutes, trouble);

        expect(owed(incident)).toMatchObject([
          { kind: 'reply', occasion: 'escalated' },
          { kind: 'edit', occasion: 'escalated' },
        ]);
      },
    );

    test('[N-18] [N-30] owes them its end, also where it was so large for one look long before', async () => {
      const few = failed('owed-end', 1);
      let incident = unheard('owed-end');
      for (const kind of ['opened', 'resolved', 'reopened', 'escalated'] as const)
        incident = told(await noted(incident, kind, incident.seq, few));
      for (let minutes = 5; minutes < 60; minutes += 1)
        incident = told(await noted(incident, 'changed', minutes, minutes === 21 ? failed('owed-end', 300) : few));

      expect(owed(await noted(incident, 'resolved', 60, few))).toMatchObject([
        { kind: 'reply', occasion: 'resolved' },
        { kind: 'edit', occasion: 'resolved' },
      ]);
    });

    test('[S1-13] [N-30] keeps of its notes the opening, the last turns, news and reminder, and the newest', async () => {
      const trouble = failed('kinds', 5, 'x'.repeat(120_000));
      const kinds: readonly NoteKind[] = [
        'opened',
        'changed',
        'resolved',
        'reopened',
        'changed',
        'escalated',
        'attended',
      ];
      const notes = [...kinds, 'changed' as const, 'reminder' as const, ...Array(9).fill('changed' as const)].map(
        (kind: NoteKind, nth) => ({ seq: nth + 1, kind, at: minute(nth * 1500).toISOString(), text: kind }),
      );
      await lab.incidents.save(anIncident({ key: trouble.key, trouble, notes, seq: notes.length }));

      const stored = await lab.incidents.loadOne(trouble.key);

      expect(stored?.notes.map(({ seq }) => seq)).toEqual([1, 3, 4, 6, 7, 9, 15, 16, 17, 18]);
    });

    test.each(['beside it', 'on the same node'])(
      '[N-12] [N-30] shortens what is long, and keeps cause and remedy of another %s',
      async (where) => {
        const pay = finding({
          code: 'P1',
          subject: ref('PodDisruptionBudget', 'pay', 'bank'),
          sentence: 'PDB bank/pay demands all 2 of 2 pods.',
          confidence: 'strong',
          class: 'structural',
          evidence: [evidence(ref('PodDisruptionBudget', 'pay', 'bank'), 'status.disruptionsAllowed', 0, since)],
          remedies: [remedy('Relax the budget', { command: command('oc', '-n', 'bank', 'patch', 'pdb', 'pay') })],
        });
        const long = 'k in (a, b) or '.repeat(60_000);
        const loud = finding({
          ...pay,
          code: 'U2',
          subject: ref('Pod', 'web-z', 'loud'),
          sentence: `web-z can run nowhere: no node has ${long}.`,
          evidence: Array.from({ length: 40 }, () => evidence(ref('Pod', 'web-z', 'loud'), 'spec', long, since)),
          remedies: [remedy(`Add a node with ${long}`), remedy('Label it', { command: long })],
        });
        const drain = (name: string, ...because: readonly Finding[]) =>
          finding({ ...pay, code: 'D1', subject: ref('Node', name), because, remedies: [] });
        const findings =
          where === 'beside it' ? [drain('worker-2', loud), drain('worker-3', pay)] : [drain('worker-2', loud, pay)];
        const key = { cluster: `long ${where}`, pool: 'worker', kind: 'drain-blocked' } as const;
        const trouble = { ...failed(key.cluster, 1), key, findings };

        expect(await lab.incidents.save(anIncident({ key, trouble, cause: trouble }))).toBe(true);

        const stored = await lab.incidents.loadOne(key);
        for (const each of [stored?.trouble, stored?.cause]) {
          const causes = each?.findings.flatMap(({ because }) => because);
          expect(causes?.find(({ code }) => code === 'P1')).toEqual(pay);
          expect(causes?.find(({ code }) => code === 'U2')).toMatchObject({
            sentence: expect.stringMatching(/^web-z can run nowhere: no node has k in /),
            remedies: [{ title: expect.stringMatching(/^Add a node with k in /) }],
          });
        }
      },
    );

    test('[S1-13] [N-30] says what it says in full, and has each Application under its AppProject', async () => {
      const trouble = failed('in-full', 150);
      const incident = anIncident({ key: trouble.key, trouble });
      const context = { now: minute(0), occasion: 'opened', product: 'poolkeeper', statusUrl: undefined } as const;
      await lab.incidents.save(incident);

      const stored = await lab.incidents.loadOne(trouble.key);
      const [shown, inFull] = [stored ?? anIncident(), incident].map((each) =>
        mailMessage(each, each.notes, { ...context, deliveryId: 'd', domain: 'example.com' }),
      );

      expect(JSON.stringify(incident).length).toBeGreaterThan(JSON.stringify(stored).length);
      expect(shown).toEqual(inFull);
      expect(shown?.text).toContain('bank/pay');
      expect(stored?.trouble?.findings.map(({ subject }) => subject)).toEqual(
        trouble.findings.map(({ subject }) => subject),
      );
    });
  });

  test('what has expired counts as absent before DynamoDB deletes it, and may be stored anew', async () => {
    const incident = anIncident({ key: { cluster: 'old', pool: 'worker', kind: 'node-lost' }, state: 'ok' });
    const memory = aMemory({ cluster: 'old' });
    await Promise.all([
      lab.incidents.save(incident),
      lab.checkpoints.save(memory),
      lab.views.save(aView({ cluster: 'old' })),
    ]);
    await lab.races.save(aRace({ cluster: 'old' }));

    lab.clock.advance(31 * day);

    expect(await lab.incidents.loadOne(incident.key)).toBeUndefined();
    expect(await lab.incidents.load('old')).toEqual([]);
    expect(await lab.checkpoints.load('old')).toBeUndefined();
    expect(await lab.races.load('old')).toEqual([]);
    expect((await lab.views.list()).map(({ cluster }) => cluster)).not.toContain('old');
    expect(await lab.incidents.save({ ...incident, version: 1 })).toBe(false);
    expect(await lab.incidents.save(incident)).toBe(true);
    expect(await lab.checkpoints.save(memory)).toBe(true);
  });

  test('an open incident outlives a closed one', async () => {
    const key = { cluster: 'long', pool: 'worker', kind: 'node-lost' } as const;
    await lab.incidents.save(anIncident({ key, state: 'firing' }));

    lab.clock.advance(60 * day);

    expect(await lab.incidents.loadOne(key)).toMatchObject({ state: 'firing' });
  });

  test('what an older version stored is read, what it did not know is empty', async () => {
    const body = JSON.stringify({ cluster: 'older', version: 4, misses: 2, firstSeen: { a: 'b' } });
    const ttl = String(Math.floor(lab.clock.now().getTime() / 1000) + day);
    await raw.send(
      new PutItemCommand({
        TableName: lab.table,
        Item: { pk: { S: 'memory' }, sk: { S: 'older' }, body: { S: body }, version: { N: '4' }, ttl: { N: ttl } },
      }),
    );

    const memory = await lab.checkpoints.load('older');

    expect(memory).toEqual(
      aMemory({
        cluster: 'older',
        version: 4,
        misses: 2,
        firstSeen: { a: 'b' },
        sweptAt: undefined,
        lastGoodReadAt: undefined,
      }),
    );
  });

  test('[N-30] holds on many pools cost no clock, however many Applications have them', async () => {
    const at = '2026-03-02T10:00:00Z';
    const ids = Array.from({ length: 120 }, (_, index) => `sync/hub/tenant/${'x'.repeat(240)}${index}`);
    const record: PoolRecord = {
      v: 1,
      pause: 'ours',
      pausedSince: at,
      holds: ids.map((id) => ({ id, kind: 'sync', who: 'w'.repeat(300), why: 'y'.repeat(400), since: at, until: at })),
    };
    const pools = Array.from({ length: 20 }, (_, index) => `pool-${index}`);
    const own = { 'worker|node-lost|worker-1': at };
    const syncs = ids.map((id) => [`*|sync|${id}|running`, at] as const);
    const few = aMemory({
      cluster: 'held',
      told: Object.fromEntries(pools.slice(0, 3).map((name) => [name, record])),
      firstSeen: { ...own, ...Object.fromEntries(syncs) },
    });
    const many = { ...few, cluster: 'held-more', told: Object.fromEntries(pools.map((name) => [name, record])) };

    await lab.checkpoints.save(few);
    await lab.checkpoints.save(many);

    const [first, second] = [await lab.checkpoints.load('held'), await lab.checkpoints.load('held-more')];
    expect([first?.firstSeen, second?.firstSeen]).toEqual([few.firstSeen, many.firstSeen]);
    expect(first?.told['pool-2']?.holds.map(({ id }) => id)).toEqual(ids);
    expect(second?.told['pool-19']).toEqual({ v: 1, pause: 'ours', pausedSince: at, holds: [] });
  });

  test('[N-30] [S0-2] beside thousands of holds, those of people and of other namespaces stay told as they are', async () => {
    const at = '2026-03-02T10:00:00Z';
    const sync = (id: string) => ({ id, kind: 'sync', who: 'w', why: 'y', since: at, until: at }) as const;
    const freeze = { ...sync('freeze/all/ann'), kind: 'freeze', who: 'ann', why: 'end of quarter' } as const;
    const other = sync('sync/hub/team-a/nodes');
    const many = Array.from({ length: 400 }, (_, index) => sync(`sync/hub/team-x/${index}`));
    const pools = Array.from({ length: 20 }, (_, index) => `pool-${index}`);
    const record: PoolRecord = { v: 1, pause: 'ours', holds: [...many, other, freeze] };

    await lab.checkpoints.save(
      aMemory({ cluster: 'told', told: Object.fromEntries(pools.map((name) => [name, record])) }),
    );

    const { told = {}, toldSteps = {} } = (await lab.checkpoints.load('told')) ?? {};
    expect(Object.keys(told)).toEqual(pools);
    for (const pool of pools) {
      const kept = told[pool]?.holds ?? [];
      expect(kept).toContainEqual(freeze);
      expect(kept.map(({ id }) => id)).toContain(other.id);
      expect(untoldSteps(record.holds, kept, toldSteps[pool])).toEqual([]);
      const next = { ...other, startedAt: '2026-03-02T10:05:00Z' };
      expect(untoldSteps([...many, next], kept, toldSteps[pool])).toEqual([next]);
    }
  });

  test('[N-30] [S0-5] what tenants can fill the checkpoint with goes before the races, changes and spared syncs of others', async () => {
    const at = '2026-03-02T10:00:00Z';
    const spared = (id: string) => ({
      ...{ hold: id, uid: 'u', pool: 'worker', revision: 'b', why: 'w'.repeat(200), at, until: at, rendered: 'r' },
      machineConfigs: [],
      circumstances: 'c'.repeat(16),
    });
    const sync = (index: number) => {
      const id = `sync/hub/team-x/${'x'.repeat(240)}${index}`;
      return { id, kind: 'sync', who: 'w', why: 'y', since: at, until: at } as const;
    };
    const holds = Array.from({ length: 200 }, (_, index) => sync(index));
    const pools = Array.from({ length: 20 }, (_, index) => `pool-${index}`);
    const clocks = Array.from({ length: 1_000 }, (_, index) => [`*|sync|${sync(index).id}|running`, at] as const);
    const change = { from: 'a', to: 'b', renderedAt: at, class: 'reboot', parts: [], partsInAll: 0 } as const;
    const kept = {
      pending: { worker: { ...change, isByDefault: undefined, security: [], causes: [], unread: undefined } },
      races: [{ pool: 'worker', hold: 'sync/hub/team-a/nodes', since: at }],
    };

    await lab.checkpoints.save(
      aMemory({
        cluster: 'filled',
        told: Object.fromEntries(pools.map((name) => [name, { v: 1, holds }])),
        firstSeen: Object.fromEntries(clocks),
        spared: [...holds.map(({ id }) => spared(id)), spared('sync/hub/team-a/nodes')],
        ...kept,
      }),
    );

    const read = await lab.checkpoints.load('filled');
    expect(read?.races).toEqual(kept.races);
    expect(read?.pending).toMatchObject({ worker: change });
    expect(read?.spared?.map(({ hold }) => hold)).toContain('sync/hub/team-a/nodes');
  });

  test('[N-30] long-standing syncs of one namespace keep no clock of others from running', async () => {
    const at = (minute: number) => new Date(Date.parse('2026-03-02T10:00:00Z') + minute * 60_000).toISOString();
    const clocksOf = (id: string, minute: number) => [
      [`*|sync|${id}|running`, at(minute)] as const,
      [`*|sync|${id}|0123456789abcdef`, at(minute)] as const,
    ];
    const many = Array.from({ length: 1_000 }, (_, index) =>
      clocksOf(`sync/hub/team-x/${'x'.repeat(240)}${index}`, index),
    ).flat();
    const others = clocksOf('sync/hub/platform/nodes', 9_000);

    await lab.checkpoints.save(aMemory({ cluster: 'turns', firstSeen: Object.fromEntries([...many, ...others]) }));

    const kept = (await lab.checkpoints.load('turns'))?.firstSeen ?? {};
    expect(kept).toEqual(Object.fromEntries([...others, ...many.slice(0, 198)]));
  });

  test('[N-30] of too many clocks of syncs the oldest are kept, and all clocks of pools and nodes', async () => {
    const at = (minute: number) => new Date(Date.parse('2026-03-02T10:00:00Z') + minute * 60_000).toISOString();
    const syncs = Array.from({ length: 2_000 }, (_, index) => {
      return [`*|sync|sync/hub/tenant/${'x'.repeat(240)}${index}|running`, at(5_000 - index)] as const;
    });
    const own = { 'worker|node-lost|worker-1': at(9_000) };

    await lab.checkpoints.save(aMemory({ cluster: 'clocks', firstSeen: { ...Object.fromEntries(syncs), ...own } }));

    const kept = (await lab.checkpoints.load('clocks'))?.firstSeen ?? {};
    expect(kept).toMatchObject(own);
    expect(Object.keys(kept)).toHaveLength(201);
    expect(kept).toMatchObject(Object.fromEntries(syncs.slice(-200)));
  });

  test('what is not understood is a failure and not nothing', async () => {
    const ttl = String(Math.floor(lab.clock.now().getTime() / 1000) + day);
    await raw.send(
      new PutItemCommand({
        TableName: lab.table,
        Item: { pk: { S: 'memory' }, sk: { S: 'broken' }, body: { S: '{"cluster":' }, ttl: { N: ttl } },
      }),
    );

    await expect(lab.checkpoints.load('broken')).rejects.toBeInstanceOf(Transient);
  });

  test('[N-30] a view that is not understood is a cluster that is not seen, and hides no other', async () => {
    const sound = aView({ cluster: 'sound' });
    await lab.views.save(sound);
    const readAt = Date.parse('2026-03-02T10:05:00.000Z');
    const ttl = String(Math.floor(lab.clock.now().getTime() / 1000) + day);
    const item = { pk: { S: 'view' }, sk: { S: 'unsound' }, body: { S: '{"cluster":7}' }, ttl: { N: ttl } };
    await raw.send(new PutItemCommand({ TableName: lab.table, Item: { ...item, version: { N: String(readAt) } } }));

    const views = await lab.views.list();

    expect(views).toContainEqual(sound);
    expect(views.find(({ cluster }) => cluster === 'unsound')).toMatchObject({
      blind: { why: expect.stringContaining('cannot be parsed at cluster'), since: '2026-03-02T10:05:00.000Z' },
      pools: [],
    });
  });

  describe('[N-30] what a newer version has stored about a kind of incident that this one does not know', () => {
    const known = { cluster: 'rolled-back', pool: 'worker', kind: 'node-lost' } as const;
    const put = (pk: string, sk: string, body: unknown) => {
      const ttl = String(Math.floor(lab.clock.now().getTime() / 1000) + day);
      const item = { pk: { S: pk }, sk: { S: sk }, body: { S: JSON.stringify(body) }, ttl: { N: ttl } };
      return raw.send(new PutItemCommand({ TableName: lab.table, Item: { ...item, version: { N: '1' } } }));
    };
    const unknown = { ...known, kind: 'disk-full' };

    test('hides no other incident of its cluster, and none of the page', async () => {
      const incident = anIncident({ key: known, state: 'firing', number: 41 });
      await lab.incidents.save(incident);
      await put('incident', 'rolled-back|worker|disk-full', { ...incident, key: unknown, number: 42 });

      expect((await lab.incidents.load('rolled-back')).map(({ number }) => number)).toEqual([41]);
      expect((await lab.incidents.list()).map(({ key }) => key)).toContainEqual(known);
      await lab.incidents.save({ ...incident, version: 1, state: 'ok' });
    });

    test('keeps no target from being told of others', async () => {
      const at = '2026-03-02T10:00:00.000Z';
      const [mine, theirs] = [
        { key: known, number: 41 },
        { key: unknown, number: 42 },
      ];
      const message = { why: 'many', anchor: mine, members: [mine, theirs], openUntil: at, endToldBy: theirs };
      const openings = [mine, theirs].map((each) => ({ ...each, at }));
      await put('joint', 'chat', { version: 1, openings, messages: [message, { ...message, anchor: theirs }] });

      expect(await lab.jointMessages.load('chat')).toMatchObject({
        openings: [mine],
        messages: [{ anchor: mine, members: [mine] }],
      });
    });

    test('[decoy] one of a known kind that cannot be parsed is a failure', async () => {
      await put('incident', 'garbled|worker|node-lost', { key: { ...known, cluster: 'garbled' } });

      await expect(lab.incidents.load('garbled')).rejects.toBeInstanceOf(Transient);
    });
  });

  test('[N-18] [N-30] of openings by names as long as Kubernetes allows the newest have room', async () => {
    const long = 'x'.repeat(253);
    const at = '2026-03-02T10:00:00.000Z';
    const openings = Array.from({ length: 500 }, (_, index) => ({
      key: { cluster: 'prod', pool: long, kind: 'drain-blocked' as const },
      number: index,
      at,
      cause: `drain-blocked D1 PodDisruptionBudget ${long}/${long}`,
    }));

    expect(await lab.jointMessages.save('long', { version: 0, openings, messages: [] })).toBe(true);

    expect((await lab.jointMessages.load('long')).openings.map(({ number }) => number)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 400),
    );
  });

  test('[N-30] after a clock that ran ahead was set back, what is seen now takes the place of what was stored', async () => {
    const ahead = new Date(lab.clock.now().getTime() + 6 * 3600_000).toISOString();
    const at = lab.clock.now().toISOString();
    const calendar = { id: 'set-back', copy: { text: 'BEGIN:VCALENDAR', readAt: ahead } };
    await lab.views.save(aView({ cluster: 'set-back', readAt: ahead, pools: [] }));
    await lab.keptCalendars.save({ ...calendar, triedAt: ahead });

    await lab.views.save(aView({ cluster: 'set-back', readAt: at }));
    await lab.keptCalendars.save({ ...calendar, triedAt: at });

    expect(await lab.views.load('set-back')).toMatchObject({ readAt: at });
    expect(await lab.keptCalendars.load('set-back')).toMatchObject({ triedAt: at });
  });

  test('no item comes near the limit of 400 KiB, also with letters of four bytes', async () => {
    const text = '🚦'.repeat(60_000);
    await lab.incidents.save(
      anIncident({
        key: { cluster: 'huge', pool: 'worker', kind: 'node-lost' },
        notes: Array.from({ length: 40 }, (_, seq) => ({ seq, at: '2026-03-02T10:00:00.000Z', kind: 'changed', text })),
      }),
    );
    await lab.timeline.append([aTimelineEntry({ id: 'huge', text: text.repeat(2) })]);

    const item = await raw.send(
      new GetItemCommand({ TableName: lab.table, Key: { pk: { S: 'incident' }, sk: { S: 'huge|worker|node-lost' } } }),
    );
    expect(Buffer.byteLength(item.Item?.['body']?.S ?? '')).toBeLessThan(400 * 1024);
    expect(await lab.incidents.loadOne({ cluster: 'huge', pool: 'worker', kind: 'node-lost' })).toBeDefined();
    expect((await lab.timeline.latest(500)).map(({ id }) => id)).toContain('huge');
  });
});

describe('of DynamoDB', () => {
  async function tablesAt(answer: (operation: string, body: string, nth: number) => StubReply) {
    const stub = await startStub(({ headers, body }, nth) =>
      answer(String(headers['x-amz-target']).replace(/.*\./, ''), body, nth),
    );
    const client = openDynamoDb({ endpoint: stub.url, region: 'us-east-1', credentials, maxAttempts: 2 });
    onTestFinished(() => client.destroy());
    return {
      tables: dynamoTables({ newId: systemRuntime.newId, client, table: 'poolkeeper', clock: fakeClock().now }),
      seen: stub.seen,
    };
  }

  const refusal = (type: string, status = 400, more: object = {}): StubReply => ({
    status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: 'said so', ...more },
  });

  test.each<[string, number, Transient['kind']]>([
    ['ProvisionedThroughputExceededException', 400, 'busy'],
    ['ThrottlingException', 400, 'busy'],
    ['AccessDeniedException', 400, 'forbidden'],
    ['ExpiredTokenException', 400, 'forbidden'],
    ['ResourceNotFoundException', 400, 'unknown'],
    ['ValidationException', 400, 'unknown'],
    ['InternalServerError', 500, 'unreachable'],
  ])('%s is Transient %s %s', async (type, status, kind) => {
    const { tables } = await tablesAt(() => refusal(type, status));

    const failure = await tables.checkpoints.load('prod').catch((cause: unknown) => cause);

    expect(failure).toBeInstanceOf(Transient);
    expect(failure).toMatchObject({ kind, message: `DynamoDB GetItem: ${type}: said so` });
  });

  test('a connection that breaks is unreachable', async () => {
    const { tables } = await tablesAt(() => 'cut');

    await expect(tables.views.list()).rejects.toMatchObject({ name: 'Transient', kind: 'unreachable' });
  });

  test('a write whose answer got lost was done, not lost to another writer', async () => {
    let stored: unknown;
    const { tables, seen } = await tablesAt((_, body, nth) => {
      if (nth === 1) {
        stored = JSON.parse(body).Item;
        return 'cut';
      }
      return refusal('ConditionalCheckFailedException', 400, { Item: stored });
    });

    expect(await tables.checkpoints.save(aMemory())).toBe(true);
    expect(seen).toHaveLength(2);
  });

  test('a write that another pass won is read from the refusal itself', async () => {
    const { tables, seen } = await tablesAt(() => {
      const item = { pk: { S: 'memory' }, sk: { S: 'prod' }, version: { N: '5' }, writer: { S: 'other' } };
      return refusal('ConditionalCheckFailedException', 400, { Item: item });
    });

    expect(await tables.checkpoints.save(aMemory())).toBe(false);
    expect(seen).toHaveLength(1);
  });

  test('reads that decide are consistent', async () => {
    const { tables, seen } = await tablesAt(() => ({ body: {} }));

    await tables.checkpoints.load('prod');
    await tables.incidents.load('prod');
    await tables.races.load('prod');

    expect(seen.map(({ body }) => JSON.parse(body).ConsistentRead)).toEqual([true, true, true]);
  });
});
