import { describe, expect, test } from 'vitest';
import { operatorParts } from '../../../../functions/core/openshift/operator-parts.ts';

function read(name: string, body: unknown) {
  const part = operatorParts.find((each) => each.name === name);
  if (part === undefined) throw new Error(`no part ${name}`);
  return part.read(body);
}

const operator = (
  ...conditions: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
) => ({
  status: { conditions },
});
const available = { type: 'Available', status: 'True', message: 'Cluster has deployed 4.18.1' };

describe('[S1-22] what a part of the Machine Config Operator says of itself', () => {
  test.each([
    ['available', operator(available, { type: 'Degraded', status: 'False' }), 'fine', 'available'],
    [
      'degraded, while available',
      operator(available, { type: 'Degraded', status: 'True', message: 'Unable to apply 4.18.1: pool master' }),
      'degraded',
      'Unable to apply 4.18.1: pool master',
    ],
    ['not available', operator({ type: 'Available', status: 'False' }), 'down', 'not available'],
    [
      'not available, and degraded',
      operator({ type: 'Available', status: 'False' }, { type: 'Degraded', status: 'True', message: 'pool master' }),
      'down',
      'not available: pool master',
    ],
    [
      'progressing',
      operator(available, { type: 'Progressing', status: 'True', message: 'Working towards 4.18.1' }),
      'progressing',
      'Working towards 4.18.1',
    ],
    [
      'degraded without a word',
      operator(available, { type: 'Degraded', status: 'True' }),
      'degraded',
      'it does not say why',
    ],
    ['silent', {}, 'unread', 'it does not say whether it is available'],
  ])('the ClusterOperator, %s', (_, body, state, says) => {
    expect(read('machine-config', body)).toEqual({ state, says });
  });

  test.each([
    ['all', { spec: { replicas: 1 }, status: { readyReplicas: 1 } }, 'fine', '1 of 1 ready'],
    ['none', { spec: {}, status: {} }, 'down', '0 of 1 ready'],
    ['switched off', { spec: { replicas: 0 }, status: {} }, 'down', 'scaled to 0'],
    ['some', { spec: { replicas: 3 }, status: { readyReplicas: 2 } }, 'partly', '2 of 3 ready'],
  ])('a Deployment, %s ready', (_, body, state, says) => {
    expect(read('machine-config-controller', body)).toEqual({ state, says });
    expect(read('machine-config-operator', body)).toEqual({ state, says });
  });

  test.each([
    ['all', { desiredNumberScheduled: 6, numberReady: 6 }, 'fine', '6 of 6 ready'],
    ['all but one that reboots', { desiredNumberScheduled: 6, numberReady: 5 }, 'partly', '5 of 6 ready'],
    ['none', { desiredNumberScheduled: 3, numberReady: 0 }, 'down', '0 of 3 ready'],
    ['none wanted', { desiredNumberScheduled: 0, numberReady: 0 }, 'down', 'wanted on no node'],
  ])('a DaemonSet, %s ready', (_, status, state, says) => {
    expect(read('machine-config-daemon', { status })).toEqual({ state, says });
    expect(read('machine-config-server', { status })).toEqual({ state, says });
  });
});
