import { expect, test } from 'vitest';
import { argocdsOfPush } from '../../../../functions/core/holds/argocds-of-push.ts';
import type { Push } from '../../../../functions/core/routing/awaited-push.ts';

const at = '2026-03-02T10:00:00.000Z';

function writtenBy(...writers: readonly string[]): Push {
  const [via, ...others] = writers.map((each) => {
    const [argocd = '', name = ''] = each.split('/');
    return { argocd, namespace: 'argocd', name };
  });
  if (via === undefined) return { at, revision: 'b'.repeat(40) };
  return { at, revision: undefined, via, ...(others.length === 0 ? {} : { claimants: [via, ...others] }) };
}

function argocdsOf(pushes: Readonly<Record<string, Push>>) {
  const byHold = new Map(Object.entries(pushes).map(([id, push]) => [`sync/${id}`, push]));
  return Object.fromEntries([...argocdsOfPush(byHold)].map(([id, argocds]) => [id, [...argocds].toSorted()]));
}

test('[N-26] the Argo CDs that have to get a push are those of all writers above an Application, too', () => {
  expect(
    argocdsOf({
      'hub/argocd/nodes': writtenBy('west/mid'),
      'west/argocd/mid': writtenBy('central/root'),
      'hub/argocd/other': writtenBy('hub/root', 'east/root'),
      'hub/argocd/alone': writtenBy(),
    }),
  ).toEqual({
    'sync/hub/argocd/nodes': ['central', 'hub', 'west'],
    'sync/west/argocd/mid': ['central', 'west'],
    'sync/hub/argocd/other': ['east', 'hub'],
    'sync/hub/argocd/alone': ['hub'],
  });
});

test('[N-30] Applications that claim to write each other are no endless circle', () => {
  const circle = { 'a/argocd/x': writtenBy('b/y'), 'b/argocd/y': writtenBy('a/x') };

  expect(argocdsOf(circle)).toEqual({ 'sync/a/argocd/x': ['a', 'b'], 'sync/b/argocd/y': ['a', 'b'] });
});
