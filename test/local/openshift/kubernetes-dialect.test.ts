import { afterAll, beforeAll, describe, test } from 'vitest';
import { type ApiServer, startApiServer } from '../../../local/openshift/api-server/api-server.ts';
import { createRegistry } from '../../../local/openshift/api-server/registry.ts';
import { namespaces } from '../../../local/openshift/api-server/resource-types.ts';
import { createPace } from '../../../local/openshift/pace.ts';
import { createRandom } from '../../../local/openshift/random.ts';
import { kubernetesDialect } from './kubernetes-dialect.ts';
import { createVirtualClock } from './virtual-clock.ts';

describe('the simulated API server speaks the Kubernetes REST dialect', () => {
  let server: ApiServer;

  beforeAll(async () => {
    const clock = createVirtualClock(new Date('2026-03-02T08:00:00Z'));
    const registry = createRegistry({ pace: createPace(clock, 1), random: createRandom(1) });
    registry.create(namespaces, { metadata: { name: 'default' } }, { manager: 'test' });
    server = await startApiServer({ registry, clock, token: 'secret', port: 0, gitVersion: 'v1.34.4' });
  });

  afterAll(() => server.stop());

  kubernetesDialect(test, () => ({
    request(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization')) headers.set('authorization', 'Bearer secret');
      if (headers.get('authorization') === '') headers.delete('authorization');
      return fetch(server.url + path, { ...init, headers });
    },
  }));
});
