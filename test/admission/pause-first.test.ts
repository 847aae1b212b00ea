import { describe, expect, test } from 'vitest';
import { breakGlassAnnotation } from '../../functions/core/argocd/refused-sync.ts';
import { breakGlassQuestions, readBreakGlass } from '../../functions/core/judge/break-glass.ts';
import { kindRules } from '../../functions/core/openshift/rendered-kinds.ts';
import { pauseFirstObjects } from '../../local/manifests/pause-first.ts';
import { admittingStore } from './admitting-store.ts';
import { specOf } from './evaluate-policy.ts';
import { pauseFirstContract } from './pause-first.contract.ts';

pauseFirstContract('its expressions under an evaluator', async () => admittingStore());

const { now } = admittingStore();

describe('the annotation that a refusal prints', () => {
  test.each(['create', 'update of generation 7', 'delete of generation 7'])(
    '[N-27] %s: what the policy admits is what Poolkeeper reports',
    async (act) => {
      const words = `${act} until ${new Date(now().getTime() + 3_600_000).toISOString().slice(0, 19)}Z: CVE of tonight`;
      const item = { metadata: { name: '99-a', generation: 7, annotations: { [breakGlassAnnotation]: words } } };
      const [exemption] =
        readBreakGlass(
          breakGlassQuestions.map((_, index) =>
            index === 0 ? { kind: 'found', body: { items: [item] }, readAt: now() } : { kind: 'absent', readAt: now() },
          ),
        ) ?? [];

      expect(exemption).toMatchObject({ name: '99-a', reason: 'CVE of tonight' });
      expect(exemption?.names?.act).toBe(act.split(' ')[0]);
    },
  );
});

describe('the kinds of the policy', () => {
  const [policy] = pauseFirstObjects({ namespace: 'poolkeeper', pools: [], except: [] });
  const named = specOf(policy).matchConstraints.resourceRules.flatMap(({ apiGroups, resources }) =>
    apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
  );

  /** Rendered, and yet not in the policy. */
  const left: Readonly<Record<string, string>> = {
    'machineconfiguration.openshift.io/MachineConfigPool': 'people pause with it',
    'operator.openshift.io/Network': 'the network operator turns it into MachineConfigs',
    'config.openshift.io/Infrastructure': 'OpenShift writes it',
    'config.openshift.io/DNS': 'OpenShift writes it',
    'config.openshift.io/Network': 'OpenShift writes it',
    'config.openshift.io/ClusterVersion': 'an upgrade must not wait',
  };

  test('[N-27] are all that the Machine Config Operator renders, apart from those in docs/admission.md', () => {
    const rendered = kindRules.filter(
      ({ group, reach }) => group !== '' && !['none', 'assumed', 'node-labels'].includes(reach),
    );
    const missing = rendered
      .filter(({ group, kind }) => !named.includes(`${group}/${pluralOf(kind)}`))
      .map(({ group, kind }) => `${group}/${kind}`);

    expect(missing.toSorted()).toEqual(Object.keys(left).toSorted());
  });
});

function pluralOf(kind: string): string {
  const lower = kind.toLowerCase();
  if (/(?:cy|xy)$/.test(lower)) return `${lower.slice(0, -1)}ies`;
  return `${lower}s`;
}
