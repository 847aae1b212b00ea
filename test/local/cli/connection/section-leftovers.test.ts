import { expect, test } from 'vitest';
import type { KubeClient } from '../../../../functions/adapters/kubernetes/kube-client.ts';
import { emptyRunRecord, type RunRecord } from '../../../../functions/core/node-turns/run-record.ts';
import {
  emptySequenceRecord,
  type SequenceRecord,
  sequenceRecordText,
} from '../../../../functions/core/sequences/record.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import { sectionLeftovers } from '../../../../local/cli/connection/section-leftovers.ts';
import type { Shares, Whose } from '../../../../local/cli/connection/whose.ts';
import { allOurs } from './all-ours.ts';

const at = '2026-03-02T11:00:00.000Z';
const made = { uid: 'u', of: 'f', path: '/api/v1/namespaces/shop/configmaps/first' };
const begun: SequenceRecord = {
  ...emptySequenceRecord,
  items: { 'first@lab': { state: 'healthy', since: at, value: 'applied', made } },
};

type Lists = Readonly<Record<string, readonly object[]>>;

/** An API server with these lists; batch is not served where no Job is given. */
function serving(lists: Lists): Pick<KubeClient, 'list'> {
  return {
    async list(path, { query }) {
      expect(query?.['labelSelector']).toContain('poolkeeper');
      const found = lists[path];
      // Of runs there are none.
      if (path.startsWith('/apis/batch') && query?.['labelSelector']?.includes('poolkeeper.dev/run') === true)
        return [];
      if (found === undefined && path.startsWith('/apis/batch')) throw new Transient(`GET ${path}: 404`);
      return found ?? [];
    },
  };
}

const named = (name: string, namespace?: string, data?: object) => ({ metadata: { name, namespace }, data });
const many: SequenceRecord = {
  ...begun,
  items: Object.fromEntries(
    Array.from({ length: 22 }, (_, index) => [`step-${index}@lab`, { state: 'healthy', since: at, value: '', made }]),
  ),
};

test.each<[string, string, readonly string[]]>([
  ['of many objects', sequenceRecordText(many), Array.from({ length: 20 }, () => expect.stringContaining(made.path))],
  ['of a newer version', '{"v":2}', ['sequence virt: its record cannot be understood; what it applied stays']],
  ['that is packed wrongly', 'gzip:AAAA', ['sequence virt: its record cannot be understood; what it applied stays']],
  ['that was emptied', '', []],
])('[N-22] [N-30] a record %s is told in a few lines', async (_, record, stays) => {
  const map = named('poolkeeper-sequence-virt', 'home', { record });

  const left = await sectionLeftovers(serving({ '/api/v1/configmaps': [map] }), allOurs);

  expect(left.stays.slice(0, 20)).toEqual(stays);
  expect(left.stays.slice(20)).toEqual(
    stays.length < 20 ? [] : ['sequence virt was neither done nor aborted: 2 more of what it applied stays'],
  );
});

test.each<[string, SequenceRecord, readonly string[]]>([
  ['that has begun', begun, [`sequence virt was neither done nor aborted: ${made.path} of cluster lab stays`]],
  [
    'of several clusters that a person has paused',
    {
      ...begun,
      items: { 'first@prod-us': { state: 'healthy', since: at, value: 'applied', made } },
      former: [{ cluster: 'prod eu', path: '/api/v1/namespaces/shop/configmaps/old', uid: 'u' }],
      paused: { who: 'ann', why: 'audit', at },
    },
    [
      `sequence virt was neither done nor aborted: ${made.path} of cluster prod-us stays`,
      'sequence virt was neither done nor aborted: /api/v1/namespaces/shop/configmaps/old of cluster "prod eu" stays',
      'sequence virt: ann has paused it, which is forgotten with its record',
    ],
  ],
  ['that is done', { ...begun, done: { at, of: 'f' } }, []],
  ['that took its objects back', { ...begun, cleanedAt: at }, []],
])(
  '[N-22] [N-30] the Jobs and the record of a sequence %s go, and what it applied is named at most',
  async (_, record, stays) => {
    const data = { record: sequenceRecordText(record) };

    const left = await sectionLeftovers(
      serving({
        '/apis/batch/v1/jobs': [named('poolkeeper-check-1', 'shop'), named('backup', 'shop')],
        '/api/v1/configmaps': [named('poolkeeper-sequence-virt', 'home', data), named('settings', 'shop')],
      }),
      allOurs,
    );

    expect(left.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Job poolkeeper-check-1',
      'ConfigMap poolkeeper-sequence-virt',
    ]);
    expect(left.stays).toEqual(stays);
  },
);

test('[C-13] who may not list a kind can disconnect all the same, and is told', async () => {
  const forbidding: Pick<KubeClient, 'list'> = {
    async list(path) {
      if (path.endsWith('/configmaps')) throw new Transient(`GET ${path}: 403`, { kind: 'forbidden' });
      return [];
    },
  };

  const left = await sectionLeftovers(forbidding, allOurs);

  expect(left).toEqual({
    objects: [],
    undecided: [],
    stays: ['what sequences and runs have left there stays: GET /api/v1/configmaps: 403'],
  });
});

test('[N-22] [C-13] records of runs go, and nodes that were in their turn are named, without their clean-ups', async () => {
  const turn = { pool: 'worker', target: 'rendered-worker-1', round: '1-a', since: at, cleaned: [], attempt: 1 };
  const record: RunRecord = {
    ...emptyRunRecord,
    turns: {
      'worker-0': { ...turn, step: 'done', ran: [] },
      'worker-1': { ...turn, step: 'gone', ran: ['shop/move'] },
    },
  };
  const texts = {
    'poolkeeper-run-upgrade': JSON.stringify(record),
    'poolkeeper-run-rest': JSON.stringify(emptyRunRecord),
    'poolkeeper-run-odd': 'odd',
    'somebody-elses': '',
  };
  const maps = Object.entries(texts).map(([name, text]) => named(name, 'poolkeeper', { record: text }));

  const { objects, stays } = await sectionLeftovers(
    {
      list: async (path, { query }) =>
        path === '/api/v1/configmaps' && query?.['labelSelector']?.includes('poolkeeper.dev/run') === true ? maps : [],
    },
    allOurs,
  );

  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual(
    ['upgrade', 'rest', 'odd'].map((run) => `ConfigMap poolkeeper/poolkeeper-run-${run}`),
  );
  expect(stays).toEqual([
    'run upgrade: worker-1 is in its turn, and its clean-ups do not run: abort a run before',
    'run odd: its record cannot be understood; nodes in their turn stay without their clean-ups',
  ]);
});

test('[N-22] [N-6] [C-13] records and Jobs in namespaces of another installation stay, and are named', async () => {
  const whose: Readonly<Record<string, Whose>> = { 'pk-dev': 'ours', 'pk-prod': 'theirs', shop: 'either' };
  const shares: Shares = {
    pool: () => 'nobodys',
    inNamespace: (namespace) => whose[namespace] ?? 'nobodys',
    isSole: false,
    others: 'the Poolkeeper in namespace pk-prod',
  };
  const maps = Object.keys(whose).map((namespace) => named('poolkeeper-sequence-virt', namespace, { record: '' }));

  const { objects, stays, undecided } = await sectionLeftovers(
    serving({ '/apis/batch/v1/jobs': [named('poolkeeper-check-1', 'pk-prod')], '/api/v1/configmaps': maps }),
    shares,
  );

  expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual(['ConfigMap pk-dev']);
  expect(new Set(stays)).toEqual(
    new Set([
      'Job pk-prod/poolkeeper-check-1: stays as it is, with the Poolkeeper in namespace pk-prod',
      'ConfigMap pk-prod/poolkeeper-sequence-virt: stays as it is, with the Poolkeeper in namespace pk-prod',
    ]),
  );
  expect(new Set(undecided)).toEqual(
    new Set([expect.stringMatching(/^ConfigMap shop\/poolkeeper-sequence-virt: .* may have written it/)]),
  );
});

test('[N-22] [N-30] a window that a sequence has in an AppProject of another cluster is named: with its record nobody knows of it', async () => {
  const held = { cluster: 'hub', namespace: 'openshift-gitops', project: 'platform', application: 'nodes' };
  const record = sequenceRecordText({ ...emptySequenceRecord, held: { 'nodes@prod': held } });
  const map = named('poolkeeper-sequence-virt', 'home', { record });

  const left = await sectionLeftovers(serving({ '/api/v1/configmaps': [map] }), allOurs);

  expect([...left.stays, ...left.undecided].join()).toContain('platform');
});
