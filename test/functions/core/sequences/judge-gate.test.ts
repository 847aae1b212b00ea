import { describe, expect, it } from 'vitest';
import { SequenceGate } from '../../../../functions/core/configuration/sequence.ts';
import type { ServedResource } from '../../../../functions/core/sequences/discovery.ts';
import { questionOf } from '../../../../functions/core/sequences/gate-question.ts';
import type { CelResult } from '../../../../functions/core/sequences/judge-gate.ts';
import { emptyTally, tallied, verdictOf, verdictUnread } from '../../../../functions/core/sequences/judge-objects.ts';
import { withPreset } from '../../../../functions/core/sequences/presets.ts';

type Data = Readonly<Record<string, unknown>>;

const noCel = (): CelResult => ({ kind: 'error', why: 'not expected' });

function judge(gate: Data, objects: readonly unknown[], cel: () => CelResult = noCel) {
  const wanted = withPreset(SequenceGate.parse(gate));
  return verdictOf(wanted, tallied(wanted, emptyTally, { objects, evaluate: cel }));
}

function named(name: string, more: Data = {}): Data {
  return { metadata: { name }, ...more };
}

const available = {
  metadata: { name: 'kubevirt', generation: 3 },
  status: {
    phase: 'Deployed',
    version: 'v4.17.2',
    conditions: [{ type: 'Available', status: 'True', reason: 'AllGood', observedGeneration: 3 }],
  },
};

describe('a gate over objects', () => {
  it('[S2-3] is open when the named object is there, and closed when it is not', () => {
    const gate = { resourceType: 'sc', resourceName: 'ceph' };

    expect(judge(gate, [named('ceph')])).toEqual({ kind: 'open', value: 'ceph is there' });
    expect(judge(gate, [])).toEqual({ kind: 'closed', value: 'sc ceph is not there' });
  });

  it('[S2-3] without a name needs at least one, and says so', () => {
    const gate = SequenceGate.parse({ resourceType: 'pvc', resourceNamespace: 'shop' });

    expect(verdictUnread(gate, { kind: 'failed', why: '503' }).value).toMatch(/^at least one pvc in shop could/);
    expect(judge({ resourceType: 'pvc' }, [])).toEqual({ kind: 'closed', value: 'no pvc' });
    expect(judge({ resourceType: 'pvc' }, [named('a')]).kind).toBe('open');
  });

  it('[S2-11] an object that is being deleted is not there', () => {
    const going = { metadata: { name: 'ceph', deletionTimestamp: '2026-11-22T12:00:00Z' } };

    expect(judge({ resourceType: 'sc', resourceName: 'ceph' }, [going]).kind).toBe('closed');
  });

  it.each([
    [{ condition: { type: 'Available' } }, 'open'],
    [{ condition: { type: 'Available', reason: 'AllGood' } }, 'open'],
    [{ condition: { type: 'Available', reason: 'Other' } }, 'closed'],
    [{ condition: { type: 'Available', status: 'False' } }, 'closed'],
    [{ condition: { type: 'Ready' } }, 'closed'],
    [{ path: 'status.phase', equals: 'Deployed' }, 'open'],
    [{ path: 'status.phase', equals: 'Ready' }, 'closed'],
    [{ path: 'status.phase', oneOf: ['Ready', 'Deployed'] }, 'open'],
    [{ path: 'status.conditions.0.type', equals: 'Available' }, 'open'],
    [{ path: 'status.nothing' }, 'closed'],
    [{ path: 'status.__proto__' }, 'closed'],
    [{ version: { atLeast: '4.17' } }, 'open'],
    [{ version: { atLeast: '4.17.3' } }, 'closed'],
    [{ version: { atLeast: '4.17', path: 'status.phase' } }, 'closed'],
    [{ preset: 'available' }, 'open'],
    [{ preset: 'ready' }, 'closed'],
  ])('[S2-9] asks for more than existence: %j is %s', (gate, expected) => {
    expect(judge({ resourceType: 'hco', ...gate }, [available]).kind).toBe(expected);
  });

  it('[S2-9] a condition of an earlier generation does not count', () => {
    const changed = { ...available, metadata: { name: 'kubevirt', generation: 4 } };

    expect(judge({ resourceType: 'hco', condition: { type: 'Available' } }, [changed])).toEqual({
      kind: 'closed',
      value: 'kubevirt: Available is True (AllGood), of an earlier generation',
    });
  });

  it.each([
    [{ atLeast: 2 }, 'open'],
    [{ atLeast: 3 }, 'closed'],
    [{ atLeast: 0, atMost: 1 }, 'closed'],
    [{ atLeast: 1, atMost: 2 }, 'open'],
  ])('[S2-9] counts objects that fulfil the rest: %j is %s', (count, expected) => {
    const nodes = [named('a', { role: 'x' }), named('b', { role: 'x' }), named('c', { role: 'y' })];

    expect(judge({ resourceType: 'node', path: 'role', equals: 'x', count }, nodes).kind).toBe(expected);
  });

  it.each([
    [{ kind: 'value', value: true }, 'open'],
    [{ kind: 'value', value: false }, 'closed'],
    [{ kind: 'value', value: 'yes' }, 'refused'],
    [{ kind: 'stopped' }, 'refused'],
    [{ kind: 'error', why: 'No such key: status' }, 'closed'],
    [{ kind: 'error', why: 'Unknown variable: objekt' }, 'refused'],
  ] satisfies readonly (readonly [CelResult, string])[])('[S2-9] CEL that gives %j is %s', (result, expected) => {
    expect(judge({ resourceType: 'hco', cel: 'x' }, [available], () => result).kind).toBe(expected);
  });

  it('[S2-19] what could not be read is neither open nor closed', () => {
    const gate = SequenceGate.parse({ resourceType: 'sc', resourceName: 'ceph' });

    const verdict = verdictUnread(gate, { kind: 'failed', why: 'GET /x: 503' });

    expect(verdict).toEqual({ kind: 'unseen', value: 'sc ceph could not be read: GET /x: 503' });
  });

  it.each([
    ['forbidden', { value: 'forbidden to read sc ceph: 403' }],
    ['unknown-kind', { value: 'the cluster has no kind sc: 403', isUnknownKind: true }],
  ] as const)('[S2-19] %s is told as what it is, and never as absence', (kind, told) => {
    const gate = SequenceGate.parse({ resourceType: 'sc', resourceName: 'ceph' });

    expect(verdictUnread(gate, { kind, why: '403' })).toEqual({ kind: 'refused', ...told });
  });

  it.each([
    ['default-storage-class', 'storageclass.kubernetes.io/is-default-class'],
    ['default-virtualization-class', 'storageclass.kubevirt.io/is-default-virt-class'],
  ])('[S2-25] preset %s wants one class with %s', (preset, annotation) => {
    const class_ = (value: string) => ({ metadata: { name: value, annotations: { [annotation]: value } } });

    expect(judge({ preset }, [named('plain'), class_('true')]).kind).toBe('open');
    expect(judge({ preset }, [named('plain'), class_('false')]).kind).toBe('closed');
    expect(judge({ preset }, [])).toEqual({ kind: 'closed', value: 'no storageclasses.storage.k8s.io' });
  });

  it('[S2-25] the preset of a webhook looks at the endpoints of its service', () => {
    const gate = SequenceGate.parse({
      preset: 'webhook-endpoints',
      resourceName: 'hco-webhook',
      resourceNamespace: 'cnv',
    });

    expect(withPreset(gate)).toMatchObject({
      resourceType: 'endpointslices.discovery.k8s.io',
      resourceNamespace: 'cnv',
      selector: { 'kubernetes.io/service-name': 'hco-webhook' },
    });
    expect(withPreset(gate).resourceName).toBeUndefined();
  });
});

describe('objects that whoever may make them made so that they cannot be judged', () => {
  const cel = { resourceType: 'pvc', cel: 'object.spec.ready' };

  it('[S2-3] [N-30] do not keep a gate from opening that enough others fulfil', () => {
    const results: CelResult[] = [
      { kind: 'error', why: 'not a boolean' },
      { kind: 'value', value: true },
    ];

    const verdict = judge(cel, [named('a'), named('b')], () => results.shift() ?? noCel());

    expect(verdict).toEqual({ kind: 'open', value: '1 of 2 objects' });
  });

  it('[S2-3] [N-30] do not make a look take as long as each of them may', () => {
    let asked = 0;
    const objects = Array.from({ length: 500 }, (_, index) => named(`${index}`));

    const verdict = judge(cel, objects, () => {
      asked += 1;
      return { kind: 'stopped' };
    });

    expect(verdict).toMatchObject({ kind: 'refused', value: 'the CEL expression takes too long on 0' });
    expect(asked).toBe(3);
  });

  it('[S2-3] [N-30] keep one shut that allows no more than so many', () => {
    const gate = { ...cel, count: { atLeast: 0, atMost: 1 } };

    expect(judge(gate, [named('a')], () => ({ kind: 'error', why: 'not a boolean' })).kind).toBe('refused');
  });

  it('[S2-3] [N-30] do not open one that allows no more than so many, as long as nobody knows whether they count', () => {
    const gate = { ...cel, count: { atLeast: 0, atMost: 1 } };

    expect(judge(gate, [named('a')], () => ({ kind: 'error', why: 'No such key: spec' }))).toMatchObject({
      kind: 'closed',
      value: 'a: No such key: spec',
    });
  });
});

describe('the read of a gate', () => {
  const resource: ServedResource = {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    singular: 'deployment',
    kind: 'Deployment',
    shortNames: ['deploy'],
    isNamespaced: true,
  };

  function ask(gate: Data) {
    return questionOf(withPreset(SequenceGate.parse({ resourceType: 'deploy', ...gate })), resource);
  }

  it.each([
    [{}, 'metadata'],
    [{ count: { atLeast: 2 } }, 'metadata'],
    [{ path: 'metadata.labels.app' }, 'metadata'],
    [{ path: 'status.phase' }, 'object'],
    [{ path: 'metadata.labels.app', condition: { type: 'Available' } }, 'object'],
    [{ path: 'metadata.labels.app', cel: 'object.spec.replicas > 1' }, 'object'],
  ])('[S2-3] [S2-9] asks for as much as %j needs: the %s', (gate, form) => {
    expect(ask(gate).form).toBe(form);
  });

  it('[S2-9] asks for one object where one has to be there, and for a page of those that are compared', () => {
    expect(ask({}).query['limit']).toBe('1');
    expect(ask({ count: { atLeast: 0 } }).query['limit']).toBe('1');
    expect(ask({ count: { atLeast: 3 } }).query['limit']).toBe('3');
    expect(ask({ count: { atLeast: 3000 } }).query['limit']).toBe('500');
    expect(ask({ path: 'status.phase' }).query['limit']).toBe('500');
  });
});
