import { describe, expect, test } from 'vitest';
import type { Application } from '../../../../functions/core/argocd/application.ts';
import { isHome } from '../../../../functions/core/argocd/is-home.ts';
import {
  isTrackedBy,
  labelledBy,
  mayName,
  type Namesake,
  namedBy,
} from '../../../../functions/core/argocd/tracking.ts';
import { anApplication } from '../../../fakes/builders.ts';

const own: Namesake = { namespace: 'argocd', name: 'nodes' };
const theirs: Namesake = { namespace: 'team', name: 'nodes' };
const another: Namesake = { namespace: 'argocd', name: 'others' };

const named = (mark: string) => ({ 'argocd.argoproj.io/instance': mark });

describe('[N-30] a mark of Argo CD', () => {
  test.each<[string, string, readonly Namesake[], readonly Namesake[]]>([
    ['that has a namespace names the one there', 'team_nodes', [own, theirs, another], [theirs]],
    [
      'names the one at home',
      'nodes',
      [
        { ...theirs, isAtHome: false },
        { ...own, isAtHome: true },
      ],
      [{ ...own, isAtHome: true }],
    ],
    ['names no namesake of the one at home, which is gone', 'nodes', [{ ...theirs, isAtHome: false }], []],
    ['names none of several, where nobody knows which is at home', 'nodes', [theirs, own], []],
    ['names the only one of its name, where nobody knows', 'nodes', [another, theirs], [theirs]],
    [
      'names the one at home beside one of which nobody knows',
      'nodes',
      [theirs, { ...own, isAtHome: true }],
      [{ ...own, isAtHome: true }],
    ],
    ['names none of another name', 'nodes', [another], []],
  ])('%s', (_, mark, known, those) => {
    expect(namedBy(labelledBy(named(mark)) ?? another, known, (each) => each)).toEqual(those);
  });

  test('may name each of its namesakes but those that are known to be elsewhere', () => {
    const may = [own, { ...own, isAtHome: true }, { ...theirs, isAtHome: false }, another].map((each) =>
      mayName({ name: 'nodes' }, each),
    );

    expect(may).toEqual([true, true, false, false]);
  });

  test.each(['a_b_c', 'A', 'a_', '', '<!here>'])('of no Application is none: %s', (mark) => {
    expect(labelledBy(named(mark))).toBeUndefined();
  });

  test('is the label that Argo CD advises before its default, also where that names none', () => {
    const labels = { 'argocd.argoproj.io/instance': 'nodes', 'app.kubernetes.io/instance': 'chart' };

    expect(labelledBy(labels)).toEqual({ name: 'nodes' });
    expect(labelledBy({ ...labels, 'argocd.argoproj.io/instance': 'No Name' })).toBeUndefined();
    expect(labelledBy({ 'app.kubernetes.io/instance': 'chart' })).toEqual({ name: 'chart' });
    expect(labelledBy({})).toBeUndefined();
  });

  test('is at home as far as that is known', () => {
    expect([isHome('argocd', 'argocd'), isHome('team', 'argocd'), isHome('team', undefined)]).toEqual([
      true,
      false,
      undefined,
    ]);
  });
});

describe('[N-30] an Application that Argo CD has written', () => {
  const written = (by: string, change: Partial<Application> = {}) =>
    anApplication({
      namespace: 'team',
      name: 'nodes',
      annotations: { 'argocd.argoproj.io/tracking-id': `${by}:argoproj.io/Application:team/nodes` },
      ...change,
    });

  test.each<[string, Application, string, boolean]>([
    ['by the writer that it names', written('argocd_root'), 'argocd', true],
    ['beside its writer at home', written('root', { isAtHome: true }), 'team', true],
    ['beside its writer, where nobody knows', written('root'), 'team', true],
    ['by the one at home, and not by a namesake beside it', written('root', { isAtHome: false }), 'team', false],
    ['by the one at home, and not by a namesake elsewhere', written('root', { isAtHome: false }), 'eve', false],
    ['by another than this one', written('argocd_root'), 'team', false],
    ['by one whose mark was copied', written('argocd_root', { name: 'copy' }), 'argocd', false],
  ])('%s', (_, application, namespace, isWritten) => {
    expect(isTrackedBy(application, { namespace, name: 'root' })).toBe(isWritten);
  });
});
