import { readFileSync } from 'node:fs';
import { Agent, fetch } from 'undici';
import { afterAll, describe, test } from 'vitest';
import { kubernetesDialect } from '../local/openshift/kubernetes-dialect.ts';
import { useLab } from './harness/lab.ts';

describe('a real kube-apiserver speaks the REST dialect whose suite the simulated OpenShift passes too', () => {
  const { controlPlane } = useLab();
  const dispatcher = new Agent({ allowH2: false, connect: { ca: readFileSync(controlPlane.caFile, 'utf8') } });

  afterAll(() => dispatcher.close());

  kubernetesDialect(test, () => ({
    request(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('authorization')) headers.set('authorization', `Bearer ${controlPlane.token}`);
      if (headers.get('authorization') === '') headers.delete('authorization');
      const { method = 'GET', body, signal = null } = init;
      return fetch(controlPlane.server + path, {
        method,
        headers: Object.fromEntries(headers),
        body: typeof body === 'string' ? body : null,
        signal,
        dispatcher,
      });
    },
  }));
});
