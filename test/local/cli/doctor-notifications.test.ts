import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { clusterArgoCd } from '../../../functions/adapters/kubernetes/argocd.ts';
import { Transient } from '../../../functions/core/text/errors.ts';
import { readConfiguration } from '../../../functions/shell/configuration/read-configuration.ts';
import { checkNotifications } from '../../../local/cli/doctor/check-notifications.ts';
import { lookAtArgoCd } from '../../../local/cli/doctor/look-at-argocd.ts';

const url = 'https://pk.test';
const shipped: { readonly data: Readonly<Record<string, string>> } = parse(
  readFileSync(join(import.meta.dirname, '../../../docs/install/argocd-notifications-cm.yaml'), 'utf8').replaceAll(
    'https://poolkeeper.example.com',
    url,
  ),
);
const [settings] = readConfiguration(
  `clusters: [{ name: prod, api: { server: "https://api.prod.test:6443", tokenSecret: T } }]
argocd: [{ name: openshift-gitops, cluster: prod, namespaces: [openshift-gitops, team-a] }]
`,
  { source: 'poolkeeper.yaml' },
).argocd;

const watched = { 'poolkeeper.dev/watch': 'true' };
const subscribed = { 'notifications.argoproj.io/subscribe.on-poolkeeper-operation.poolkeeper': '' };

interface Metadata {
  readonly namespace?: string;
  readonly labels?: object;
  readonly annotations?: object;
}

/** One that deploys this kind of the Machine Config Operator, or of others. */
function application(
  name: string,
  kind = 'MachineConfig',
  { namespace = 'openshift-gitops', labels = watched, annotations = {} }: Metadata = {},
) {
  const group = kind === 'MachineConfig' ? 'machineconfiguration.openshift.io' : '';
  return {
    metadata: { name, namespace, uid: `uid-${name}`, labels, annotations },
    spec: { project: 'default', source: {}, destination: { server: 'https://kubernetes.default.svc' } },
    status: { resources: [{ group, version: 'v1', kind, name: '99-x', status: 'Synced' }] },
  };
}

function deployment(name: string, readyReplicas: number | undefined, replicas = 1, labels = {}) {
  return { metadata: { name, labels }, spec: { replicas }, status: { readyReplicas } };
}

interface World {
  readonly data?: Readonly<Record<string, string>>;
  readonly deployments?: readonly object[] | 'forbidden';
  readonly argocds?: readonly object[];
  readonly applications?: readonly ReturnType<typeof application>[];
}

const running = [deployment('openshift-gitops-notifications-controller', 1)];

/** What the doctor says of the notifications of an Argo CD of which the API server answers this. */
async function look({
  data = {},
  deployments = running,
  argocds = [],
  applications = [application('nodes')],
}: World = {}) {
  function listed(path: string, query: Readonly<Record<string, string>> = {}): readonly object[] {
    if (path.endsWith('/deployments')) {
      if (deployments === 'forbidden') throw new Transient(`GET ${path}: 403`, { kind: 'forbidden' });
      return deployments;
    }
    if (path.endsWith('/argocds')) return argocds;
    const own = applications.filter(({ metadata }) => path.includes(`/namespaces/${metadata.namespace}/`));
    return query['labelSelector'] === undefined
      ? own
      : own.filter(({ metadata }) => 'poolkeeper.dev/watch' in metadata.labels);
  }
  const client = {
    get: async (path: string) =>
      path.endsWith('-cm') ? { data: { ...shipped.data, ...data } } : { data: { 'poolkeeper-token': 'eA==' } },
    list: async (path: string, { query }: { readonly query?: Readonly<Record<string, string>> }) => listed(path, query),
    pages: async function* (path: string) {
      yield listed(path);
    },
  };
  if (settings === undefined) throw new Error('there is no Argo CD');
  const connection = { client, argocd: (each: typeof settings) => clusterArgoCd(client as never, each) };
  return checkNotifications('hub', { ...(await lookAtArgoCd(connection as never, settings)), url });
}

test('[C-13] [N-29] the doctor says that notifications are sent where their controller runs, as printed', async () => {
  expect(await look()).toEqual([
    { about: 'hub', state: 'ok', what: 'notifications: sent for every operation of 1 Application' },
  ]);
});

const off = { metadata: { name: 'openshift-gitops' }, spec: { notifications: { enabled: false } } };

test.each<[string, string, World, string]>([
  [
    'wrong',
    'ArgoCD openshift-gitops does not turn them on',
    { deployments: [], argocds: [off] },
    `'{"spec":{"notifications":{"enabled":true}}}'`,
  ],
  [
    'wrong',
    'ArgoCD openshift-gitops does not turn them on',
    { deployments: [], argocds: [{ metadata: { name: 'openshift-gitops' } }] },
    'oc -n openshift-gitops patch argocds.argoproj.io openshift-gitops',
  ],
  [
    'wrong',
    'Deployment argocd-notifications-controller has 0 of 0 pods ready',
    { deployments: [deployment('argocd-notifications-controller', undefined, 0)] },
    'scale deployment argocd-notifications-controller --replicas=1',
  ],
  [
    'wrong',
    'Deployment cd-notifications has 0 of 1 pods ready',
    {
      deployments: [
        deployment('cd-notifications', 0, 1, { 'app.kubernetes.io/component': 'notifications-controller' }),
      ],
    },
    'describe deployment cd-notifications',
  ],
  [
    'warning',
    'whether their controller runs could not be seen: namespace openshift-gitops has no Deployment',
    { deployments: [deployment('openshift-gitops-server', 1)] },
    'see that the notifications controller',
  ],
  [
    'warning',
    'whether their controller runs could not be seen: GET',
    { deployments: 'forbidden' },
    'may list Deployments',
  ],
])('[C-13] [N-29] the doctor on what sends notifications: %s, %s', async (state, what, world, remedy) => {
  expect(await look(world)).toEqual([
    { about: 'hub', state, what: expect.stringContaining(what), remedy: expect.stringContaining(remedy) },
  ]);
});

const [trigger, template] = ['trigger.on-poolkeeper-operation', 'template.poolkeeper-operation'] as const;
const unlisted = `url: ${url}/argocd\nheaders: { Authorization: Bearer $poolkeeper-token }\n`;
const toSlack = '- recipients: [slack:x]\n  triggers: [on-poolkeeper-operation]\n';

test.each<[string, string, Readonly<Record<string, string>>]>([
  ['wrong', `${trigger} has no condition`, { [trigger]: '' }],
  ['wrong', `cannot read ${trigger} in`, { [trigger]: '- when: [' }],
  ['wrong', `cannot read ${template} in`, { [template]: 'webhook: "a' }],
  ['wrong', 'cannot read headers of service.webhook.poolkeeper in', { 'service.webhook.poolkeeper': unlisted }],
  [
    'warning',
    'may not send: operation active',
    { [trigger]: `${shipped.data[trigger]}- when: "false"\n  when: "true"\n` },
  ],
  [
    'warning',
    'may not send: operation active, announced again every 5 minutes',
    { [trigger]: (shipped.data[trigger] ?? '').replace(`in ['Running', 'Terminating']`, `in ['Terminating']`) },
  ],
  [
    'warning',
    'may not send: operation finished',
    { [trigger]: (shipped.data[trigger] ?? '').replace(/int\(time\.Now\(\)\.Unix\(\) \/ 600\)/, '1') },
  ],
  ['wrong', `${template} has nothing that posts to webhook poolkeeper`, { [template]: '' }],
  ['wrong', `${template} has nothing that posts to webhook poolkeeper`, { [template]: 'message: synced\n' }],
  [
    'warning',
    `${template} is not as printed`,
    { [template]: 'webhook: { poolkeeper: { method: POST, body: "{}" } }\n' },
  ],
  [
    'warning',
    'no default subscription to on-poolkeeper-operation of webhook poolkeeper: it goes to slack:x',
    { subscriptions: toSlack },
  ],
  [
    'warning',
    'the default subscription is for team=a, not for poolkeeper.dev/watch=true',
    { subscriptions: (shipped.data['subscriptions'] ?? '').replace('poolkeeper.dev/watch=true', 'team=a') },
  ],
])('[C-13] [N-29] the doctor on notifications that were changed: %s, %s', async (state, what, data) => {
  expect(await look({ data })).toEqual([
    {
      about: 'hub',
      state,
      what: expect.stringContaining(what),
      remedy: expect.stringContaining('poolkeeper manifests --only notifications'),
    },
  ]);
});

test('[C-13] the doctor leaves alone what somebody has added to notifications', async () => {
  const data = {
    [trigger]: `${(shipped.data[trigger] ?? '').replaceAll('send: [poolkeeper-operation]', 'send: [slack, poolkeeper-operation]')}- when: "false"\n  send: [slack]\n`,
    subscriptions: `${toSlack}- recipients: ["poolkeeper:"]\n  triggers: [on-poolkeeper-operation, on-deployed]\n`,
  };

  expect(await look({ data, applications: [application('a', 'ConfigMap', { labels: {} })] })).toMatchObject([
    { state: 'ok', what: expect.stringContaining('1 Application') },
  ]);
});

const ours = (selector: string) =>
  `- recipients: [poolkeeper]\n  triggers: [on-poolkeeper-operation]\n  selector: ${selector}\n`;

test.each<[string, Readonly<Record<string, string>>]>([
  [
    'a condition without words',
    { [trigger]: `${shipped.data[trigger]}- when: "false"\n  description:\n  send: [slack]\n` },
  ],
  ['a condition that sends nothing', { [trigger]: `${shipped.data[trigger]}- when: "false"\n` }],
  ['a condition that is true', { [trigger]: `${shipped.data[trigger]}- when: true\n  send: [slack]\n` }],
  ['an empty condition', { [trigger]: `${shipped.data[trigger]}-\n` }],
  ['a condition that is never true', { 'trigger.of-others': '- send: [slack, null, 5]\n' }],
  ['an empty subscription', { subscriptions: `${shipped.data['subscriptions']}-\n` }],
  ['the label among values', { subscriptions: ours('poolkeeper.dev/watch in (yes, true)') }],
  ['the label with any value', { subscriptions: ours('poolkeeper.dev/watch') }],
  ['the label, more equal', { subscriptions: ours('poolkeeper.dev/watch == true') }],
])('[C-13] the doctor takes ours for what it is beside or as %s', async (_, data) => {
  expect(await look({ data })).toMatchObject([{ state: 'ok', what: expect.stringContaining('1 Application') }]);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['entry 1 of subscriptions', { subscriptions: `- recipients: x\n${shipped.data['subscriptions']}` }],
  ['entry 2 of subscriptions', { subscriptions: `${shipped.data['subscriptions']}- selector: [a]\n` }],
  ['entry 2 of subscriptions', { subscriptions: `${shipped.data['subscriptions']}- selector: team of platform\n` }],
  ['entry 1 of subscriptions', { subscriptions: '- recipients: [5]\n' }],
  ['subscriptions', { subscriptions: 'recipients: [slack:x]\n' }],
  ['entry 4 of trigger.on-poolkeeper-operation', { [trigger]: `${shipped.data[trigger]}- x\n` }],
  ['entry 1 of trigger.of-others', { 'trigger.of-others': '- send: slack\n' }],
  ['trigger.of-others', { 'trigger.of-others': 'when: "true"\nsend: [slack]\n' }],
  ['trigger.of-others', { 'trigger.of-others': '- when: "a\n  send: [slack]\n' }],
  ['trigger.of-others', { 'trigger.of-others': "- when: 'a' in b\n" }],
  ['template.of-others', { 'template.of-others': 'message: "a\nslack: {' }],
  ['template.of-others', { 'template.of-others': 'message: {{.app.metadata.name}} is here\n' }],
  ['template.of-others', { 'template.of-others': 'Here: it is: a\n' }],
  ['template.of-others', { 'template.of-others': 'just a text\n' }],
  ['slack.attachments of template.of-others', { 'template.of-others': 'slack: { attachments: [{ title: a }] }\n' }],
  ['webhook.x.body of template.of-others', { 'template.of-others': 'webhook: { x: { body: { a: b } } }\n' }],
  ['defaultTriggers', { defaultTriggers: 'on-deployed' }],
  ['entry 1 of defaultTriggers.slack', { 'defaultTriggers.slack': '- [on-deployed]\n' }],
  ['a of context', { context: 'poolkeeperInstance: openshift-gitops\na: [b]\n' }],
  ['service.slack', { 'service.slack': '$slack-token' }],
  ['service.slack', { 'service.slack': 'token: @slack-token' }],
  ['service.email.gmail.com', { 'service.email.gmail.com': 'host: smtp.gmail.com\n' }],
])('[C-13] [N-29] the doctor names what Argo CD cannot read, and sends nothing for: %s', async (place, data) => {
  const what = `Argo CD sends nothing, because it cannot read ${place} in argocd-notifications-cm`;
  expect(await look({ data })).toMatchObject([{ state: 'wrong', what: expect.stringContaining(what) }]);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['quotes that go on at the start of a line', { 'template.of-others': 'message: "a\nb"\n' }],
  ['a bracket that closes there', { 'trigger.of-others': '- send: [\n    slack\n]\n' }],
  ['a key that is there twice', { 'trigger.of-others': '- when: a\n  when: b\n' }],
  ['a comment without a blank', { 'trigger.of-others': '- send: [slack]#all\n' }],
  ['what comes after a document', { 'trigger.of-others': '- send: [slack]\n---\n{' }],
  ['line breaks of its own', { 'template.of-others': 'message: a\u0085email: { body: b }\n' }],
  ['a tag of its own', { 'template.of-others': 'message: !mine a\n' }],
  ['texts that look like numbers', { subscriptions: `${shipped.data['subscriptions']}- recipients: [1e400]\n` }],
  ['numbers and truth values', { 'template.of-others': 'message: 5\nemail: { subject: yes }\nslack:\n' }],
  ['what it does not know', { 'template.of-others': 'pigeon: [a]\n', 'of-others': '{', trigger: '{' }],
  ['another context without a text', { context: 'poolkeeperInstance: openshift-gitops\na:\nb: 5\n' }],
  ['services without options', { 'service.slack': '', 'service.webhook.of-others': 'url: 5\nheaders: [null]\n' }],
])('[C-13] the doctor does not take for unreadable what Argo CD may read: %s', async (_, data) => {
  expect(await look({ data })).toMatchObject([{ state: 'ok' }]);
});

test.each([
  'poolkeeper.dev/watch notin (true)',
  'poolkeeper.dev/watch in (false)',
  'poolkeeper.dev/watch=true, team == a',
  'poolkeeper.dev/watched in (true)',
])('[C-13] the doctor quotes another selector as it is written: %s', async (selector) => {
  const what = `the default subscription is for ${selector}, not for poolkeeper.dev/watch=true`;
  expect(await look({ data: { subscriptions: ours(selector) } })).toMatchObject([
    { state: 'warning', what: expect.stringContaining(what) },
  ]);
});

test('[C-13] [N-29] the doctor names Applications that change pools and lack the label, each namespace in its turn', async () => {
  const unlabelled = { labels: {} };
  const applications = [
    application('nodes'),
    ...['n1', 'n2', 'n3', 'n4'].map((name) => application(name, 'MachineConfig', unlabelled)),
    application('theirs', 'MachineConfig', { ...unlabelled, namespace: 'team-a' }),
    application('own', 'MachineConfig', { ...unlabelled, annotations: subscribed }),
    application('web', 'ConfigMap', unlabelled),
  ];

  expect(await look({ applications })).toMatchObject([
    {
      state: 'warning',
      what: expect.stringMatching(
        /^notifications: 5 Applications that change pools are not labelled poolkeeper\.dev\/watch=true, .*: openshift-gitops\/n1, team-a\/theirs, openshift-gitops\/n2 and 2 more$/,
      ),
    },
  ]);
});

test('[C-13] the doctor misses no default subscription where each Application that changes pools has its own', async () => {
  const applications = [
    application('nodes', 'MachineConfig', { labels: {}, annotations: subscribed }),
    application('web', 'ConfigMap'),
  ];

  expect(await look({ data: { subscriptions: '' }, applications })).toMatchObject([
    { state: 'ok', what: expect.stringContaining('1 Application') },
  ]);
});
