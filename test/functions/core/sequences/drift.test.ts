import { describe, expect, it } from 'vitest';
import { changedText, lostFields } from '../../../../functions/core/sequences/drift.ts';

const manifest = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'shop', namespace: 'shop', labels: { app: 'shop' } },
  spec: {
    replicas: 2,
    startingCSV: null,
    selector: { matchLabels: { app: 'shop' } },
    template: {
      spec: {
        volumes: [{ name: 'data', emptyDir: {} }],
        containers: [{ name: 'web', image: 'shop:1', args: ['--fast'], ports: [{ containerPort: 80 }] }],
      },
    },
  },
  status: { phase: 'never ours' },
};

/** As an API server writes it. */
const ours = {
  'f:metadata': { 'f:labels': { 'f:app': {} } },
  'f:spec': {
    'f:replicas': {},
    'f:selector': {},
    'f:template': {
      'f:spec': {
        'f:volumes': { 'k:{"name":"data"}': { '.': {}, 'f:name': {}, 'f:emptyDir': {} } },
        'f:containers': {
          'k:{"name":"web"}': {
            '.': {},
            'f:name': {},
            'f:image': {},
            'f:args': {},
            'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
          },
        },
      },
    },
  },
};

function entry(manager: string, fieldsV1: unknown, more: Readonly<Record<string, unknown>> = {}) {
  return { manager, operation: manager === 'poolkeeper' ? 'Apply' : 'Update', fieldsV1, ...more };
}

function told(...managedFields: readonly unknown[]): string | undefined {
  const object = { metadata: { managedFields } };
  const lost = lostFields(manifest, object);
  return lost === undefined || lost.length === 0 ? lost && '' : changedText(lost, object);
}

function withSpec(change: Readonly<Record<string, unknown>>) {
  return entry('poolkeeper', { ...ours, 'f:spec': { ...ours['f:spec'], ...change } });
}

describe('an applied object that others have changed', () => {
  it('[S2-12] has lost nothing while every field is ours, in lists, atomic fields and defaulted keys too', () => {
    expect(told(entry('poolkeeper', ours), entry('kube-controller-manager', { 'f:status': {} }))).toBe('');
  });

  it('[S2-12] names the field, the manager and the time', () => {
    const { 'f:replicas': _, ...rest } = ours['f:spec'];
    const theirs = entry('kubectl-edit', { 'f:spec': { 'f:replicas': {} } }, { time: '2026-11-22T10:00:00Z' });

    expect(told(entry('poolkeeper', { ...ours, 'f:spec': rest }), theirs)).toBe(
      'spec.replicas: changed by kubectl-edit at 2026-11-22T10:00:00Z since it was applied',
    );
  });

  it('[S2-12] names an entry of a list, and a field that is gone', () => {
    const containers = { 'k:{"name":"web"}': { 'f:name': {}, 'f:args': {}, 'f:ports': {} } };
    const spec = { ...ours['f:spec']['f:template']['f:spec'], 'f:containers': containers };
    const theirs = entry('oc', {
      'f:spec': { 'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"web"}': { 'f:image': {} } } } } },
    });

    expect(told(withSpec({ 'f:template': { 'f:spec': spec } }), theirs)).toBe(
      'spec.template.spec.containers.0.image: changed by oc since it was applied',
    );
    expect(told(entry('poolkeeper', { ...ours, 'f:metadata': { 'f:labels': {} } }))).toBe('');
    expect(told(entry('poolkeeper', { 'f:spec': ours['f:spec'] }))).toBe(
      'metadata: removed by somebody since it was applied',
    );
  });

  it('[S2-12] that is no longer ours at all has lost everything, and one without managers says nothing', () => {
    expect(told(entry('argocd-controller', ours))).toBe(
      '2 fields (spec and metadata): changed by argocd-controller since it was applied',
    );
    expect(told()).toBeUndefined();
  });

  it("[S2-12] status and what only a subresource writes are nobody's drift", () => {
    expect(
      told(entry('poolkeeper', ours), entry('x', { 'f:spec': { 'f:replicas': {} } }, { subresource: 'scale' })),
    ).toBe('');
  });
});
