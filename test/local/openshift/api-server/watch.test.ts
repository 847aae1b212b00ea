import { afterEach, beforeEach, expect, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../../local/openshift/api-server/api-server.ts';
import { createRegistry, type Registry } from '../../../../local/openshift/api-server/registry.ts';
import { namespaces, typeOfKind } from '../../../../local/openshift/api-server/resource-types.ts';
import { createPace } from '../../../../local/openshift/pace.ts';
import { createRandom } from '../../../../local/openshift/random.ts';
import { watched } from '../kubernetes-dialect.ts';
import { createVirtualClock, type VirtualClock } from '../virtual-clock.ts';

let clock: VirtualClock;
let registry: Registry;
let server: ApiServer;

beforeEach(async () => {
  clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
  registry = createRegistry({ pace: createPace(clock, 1), random: createRandom(1) });
  registry.create(namespaces, { metadata: { name: 'default' } }, { manager: 'test' });
  server = await startApiServer({ registry, clock, token: 'secret', port: 0, gitVersion: 'v1.34.4' });
});

afterEach(() => server.stop());

const endpoint = {
  request: (path: string, init: RequestInit = {}) =>
    fetch(server.url + path, { ...init, headers: { authorization: 'Bearer secret' } }),
};
const path = '/api/v1/namespaces/default/configmaps';
const configMaps = typeOfKind('v1', 'ConfigMap') ?? namespaces;

function put(name: string, labels: Record<string, string> = {}): void {
  const key = { name, namespace: 'default' };
  if (registry.get(configMaps, name, 'default'))
    registry.modify(configMaps, key, ({ metadata }) => Object.assign(metadata, { labels }), { manager: 'test' });
  else registry.create(configMaps, { metadata: { ...key, labels } }, { manager: 'test' });
}

test('an object that comes to match looks added, and one that ceases to looks deleted', async () => {
  const since = registry.revision();
  put('a', { color: 'blue' });
  put('a', { color: 'red' });
  put('a', { color: 'red', more: 'x' });
  put('a', { color: 'blue' });

  const events = await watched(endpoint, `${path}?watch=1&resourceVersion=${since}&labelSelector=color%3Dred`, 3);

  expect(events.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
});

test('a watch ends after its time, with a bookmark for who asked for one', async () => {
  const response = await endpoint.request(`${path}?watch=1&timeoutSeconds=30&allowWatchBookmarks=true`);

  await clock.advance(30_000);
  const lines = (await response.text()).trim().split('\n');

  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      type: 'BOOKMARK',
      object: {
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: { resourceVersion: String(registry.revision()), creationTimestamp: null },
      },
    },
  ]);
});

test('a version too far back is answered with the event that says so', async () => {
  put('a');
  for (let count = 0; count < 20_010; count += 1) put('a', { count: String(count) });

  const events = await watched(endpoint, `${path}?watch=1&resourceVersion=2`, 1);

  expect(events).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', reason: 'Expired', code: 410 } }]);
});

test('changes made by whoever watches reach the others in order', () => {
  const seen: string[] = [];
  registry.subscribe(({ object }) => {
    if (object.metadata.name === 'first') put('second');
  });
  registry.subscribe(({ object }) => void seen.push(object.metadata.name));

  put('first');

  expect(seen).toEqual(['first', 'second']);
});

test('stored objects cannot be changed behind the back of the store', () => {
  put('a', { color: 'red' });
  const stored = registry.get(configMaps, 'a', 'default');

  expect(() => Object.assign(stored?.metadata.labels ?? {}, { color: 'blue' })).toThrow(TypeError);
});

test('a rule at the door refuses a write, over the wire too, until it is taken away', async () => {
  const remove = registry.admit(({ type, verb, manager }) => {
    if (type === configMaps && verb === 'create') throw new Error(`not for ${manager}`);
  });

  const send = () =>
    fetch(server.url + path, {
      method: 'POST',
      headers: { authorization: 'Bearer secret', 'content-type': 'application/json', 'user-agent': 'tester/1' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } }),
    });
  const refused = await send();
  remove();
  const accepted = await send();

  expect(refused.status).toBe(500);
  expect(await refused.text()).toContain('not for tester');
  expect(accepted.status).toBe(201);
});
