import type { Inquiry } from '../../findings/inquiry.ts';
import { evidence, finding, notKnown, ref, without } from '../../findings/make-finding.ts';
import type { Finding } from '../../findings/trouble.ts';
import { itemsOf, read, readTogether, unreadOf } from '../../findings/unread.ts';
import { selects } from '../../openshift/selector.ts';
import { ageText, between, clipped, listed, quoted } from '../../text/phrases.ts';
import { inGit, managerOf } from '../managed-by.ts';
import type { Condition } from '../objects/metadata.ts';
import type { TuningConfig } from '../objects/tuning-config.ts';
import { controllerConfig, tuningConfigs } from '../questions.ts';
import { remedy } from '../remedies.ts';
import type { PoolSubject } from '../subject.ts';
import { onPlatform } from './cluster-operator.ts';
import { controllerLog } from './operator-parts.ts';

/** A sync applied MachineConfigs and the pool's render does not list them, without any RenderDegraded (S10, R9): the
 *  MCO waits for something, silently. Source: machine-config-operator pkg/apihelpers/apihelpers.go
 *  `AreMCGeneratingSubControllersCompletedForPool`. */
export function* explainUnrendered(subject: PoolSubject): Inquiry<Finding> {
  const [kubelet, runtime] = yield* readTogether(
    tuningConfigs('kubeletconfigs'),
    tuningConfigs('containerruntimeconfigs'),
  );
  const faulty = [
    ...itemsOf(kubelet).map((each) => ({ kind: 'KubeletConfig', each })),
    ...itemsOf(runtime).map((each) => ({ kind: 'ContainerRuntimeConfig', each })),
  ]
    .filter(({ each }) => mayBeFor(subject, each))
    .flatMap(({ kind, each }) => notAccepted(kind, each, subject, kubelet.readAt));
  // One that is refused stays so until somebody corrects it; one that is not looked at may be the MCO's next.
  const worst = faulty.find(({ class: sort }) => sort === 'structural') ?? faulty[0];
  if (worst !== undefined) return without(worst, unreadOf([kubelet, runtime]));
  const controller = yield* read(controllerConfig());
  const unready =
    controller.kind === 'read'
      ? controller.value.status.conditions.find(
          ({ type, status }) =>
            (type === 'TemplateControllerFailing' && status === 'True') ||
            (type === 'TemplateControllerCompleted' && status === 'False'),
        )
      : undefined;
  const found = unready === undefined ? nothingSeen(subject) : controllerNotReady(subject, unready, controller.readAt);
  return without(yield* onPlatform(found, 'machine-config'), unreadOf([kubelet, runtime, controller]));
}

/** Those of other pools stop no render of this one. Unknown counts as a match. */
function mayBeFor({ pool }: PoolSubject, { spec }: TuningConfig): boolean {
  const { machineConfigPoolSelector: selector } = spec;
  return selector === undefined || selector === null || selects(selector, pool.labels);
}

/** One KubeletConfig that the MCO does not accept stops every render of the pools it belongs to. The last condition
 *  counts, as for the MCO itself; up to OpenShift 4.21 a `Failure` is False, from 4.22 on it is True, and later ones
 *  write an `Accepted` before it. Source: pkg/controller/kubelet-config/helpers.go `wrapErrorWithCondition`,
 *  `legacyConditionFromAccepted`. */
function notAccepted(kind: string, config: TuningConfig, subject: PoolSubject, readAt: string): readonly Finding[] {
  const { generation = 0 } = config.metadata;
  const { observedGeneration, conditions } = config.status;
  const last = conditions.at(-1);
  // The MCO writes both at once: a condition without a generation is one whose generation was not read.
  if (last === undefined || (observedGeneration ?? generation) < generation)
    return [notLookedAt(kind, config, subject, readAt)];
  if (last.type === 'Success' || (last.type === 'Accepted' && last.status === 'True')) return [];
  const of = ref(kind, config.metadata.name);
  return [
    finding({
      code: 'R9',
      subject: of,
      sentence: `${kind} ${of.name} is not accepted (${quoted(last.message || last.reason, 240)}), and until it is ${rendersNothing(subject)}.`,
      confidence: 'strong',
      class: 'structural',
      evidence: [
        evidence(of, `status.conditions[${last.type}].message`, clipped(last.message), readAt),
        ...waiting(subject),
      ],
      remedies: [
        inGit(
          managerOf({ kind, metadata: config.metadata }, subject.applications ?? []),
          `correct or delete ${kind} ${of.name}`,
          'platform',
        ),
      ],
    }),
  ];
}

function rendersNothing({ pool }: PoolSubject): string {
  return `the MCO renders nothing for the pools it belongs to. No node is affected: pool ${pool.name} keeps ${pool.current.name}`;
}

function notLookedAt(kind: string, config: TuningConfig, subject: PoolSubject, readAt: string): Finding {
  const of = ref(kind, config.metadata.name);
  return finding({
    code: 'S10',
    subject: of,
    sentence: `The MCO has not looked at ${kind} ${of.name} as it is now, and until it has ${rendersNothing(subject)}.`,
    confidence: 'strong',
    class: 'external',
    evidence: [
      evidence(of, 'status.observedGeneration', config.status.observedGeneration ?? 'none', readAt),
      ...waiting(subject),
    ],
    remedies: [remedy('Read what the machine-config-controller says of it', { command: controllerLog })],
  });
}

function controllerNotReady(subject: PoolSubject, unfinished: Condition, readAt: string): Finding {
  const of = ref('ControllerConfig', 'machine-config-controller');
  return finding({
    code: 'S10',
    subject: of,
    sentence: `The MCO has not finished its own templates (${unfinished.type} ${unfinished.status}: ${quoted(unfinished.message, 200)}), so nothing is rendered for pool ${subject.pool.name}.`,
    confidence: 'strong',
    class: 'external',
    evidence: [
      evidence(of, `status.conditions[${unfinished.type}].message`, clipped(unfinished.message), readAt),
      ...waiting(subject),
    ],
    remedies: [remedy('Look at the machine-config cluster operator')],
  });
}

function nothingSeen(subject: PoolSubject): Finding {
  const { pool, since, readAt } = subject;
  const missing = missingOf(subject);
  return notKnown({
    code: 'S10',
    subject: ref('MachineConfigPool', pool.name),
    sentence: `${missing.length === 0 ? 'What was applied' : `MachineConfig ${listed(missing, 3)}`} has not got into the render of pool ${pool.name} for ${ageText(between(since, readAt))}, and the MCO does not say why.`,
    looked: ['the KubeletConfigs', 'the ContainerRuntimeConfigs', 'the ControllerConfig'],
    evidence: waiting(subject),
  });
}

function missingOf({ pool }: PoolSubject): readonly string[] {
  const release = pool.record.kind === 'record' ? pool.record.record.release : undefined;
  return (release?.machineConfigs ?? []).filter((name) => !pool.target.sources.includes(name));
}

function waiting(subject: PoolSubject) {
  const of = ref('MachineConfigPool', subject.pool.name);
  return [
    evidence(of, 'spec.configuration.name', subject.pool.target.name, subject.readAt),
    evidence(of, 'not in spec.configuration.source', listed(missingOf(subject), 5), subject.readAt),
  ];
}
