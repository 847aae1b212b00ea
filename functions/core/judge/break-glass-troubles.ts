import { breakGlassAnnotation } from '../argocd/refused-sync.ts';
import { remedy } from '../diagnose/remedies.ts';
import { digestOf, joined } from '../findings/digest.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { fingerprint } from '../text/fingerprint.ts';
import { earliest, latest } from '../text/instant.ts';
import { kindWord } from '../text/kind-words.ts';
import { counted, listed, quoted } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import type { BreakGlassExemption } from './break-glass.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

/** Of hundreds of made-up objects, a few say it. */
const findingsAtMost = 10;
/** Of as many everybody is told, the latest. */
const actsAtMost = 100;

/** Changes that the admission level admits without a pause because of an annotation, the latest first: who may write
 *  a MachineConfig may annotate any number, and must not hide those of others. Another named change, or one that was
 *  made, is another message. */
export function breakGlassTroubles({ cluster, breakGlass: observed, now }: JudgeInput): readonly Trouble[] {
  const breakGlass = observed.kind === 'seen' ? observed.value.toSorted(latestFirst) : [];
  if (breakGlass.length === 0) return [];
  const names = breakGlass.map(({ kind, name }) => `${kind} ${name}`);
  const used = breakGlass.filter(({ names: change, changed }) => change?.isMade ?? changed !== undefined);
  const findings = breakGlass.map((each) => breakGlassFinding(each, now.toISOString()));
  const severity = 'warning';
  const trouble = makeTrouble({
    key: { cluster, pool: '*', kind: 'break-glass' },
    severity,
    headline: `break-glass on ${listed(names, 2)}`,
    since: earliest(breakGlass.map(({ at }) => at)) ?? now.toISOString(),
    findings: findings.slice(0, findingsAtMost),
    facts: [
      { label: 'Objects', value: listed(names, 3) },
      { label: 'Changed since', value: used.length === 0 ? 'none' : counted(used.length, 'object') },
    ],
  });
  const changes = breakGlass.map(changeText);
  return [
    {
      ...trouble,
      digest: joined([digestOf(severity, findings), ...changes.toSorted()]),
      acts: changes.slice(0, actsAtMost).map(fingerprint),
    },
  ];
}

/** By when the API server noted the annotation, or the change that it may be for. */
function latestFirst(a: BreakGlassExemption, b: BreakGlassExemption): number {
  return momentOf(b) - momentOf(a);
}

function momentOf({ at, changed }: BreakGlassExemption): number {
  const last = latest([at, changed?.at]);
  return last === undefined ? 0 : Date.parse(last);
}

function changeText({ kind, name, names }: BreakGlassExemption): string {
  return names === undefined ? `${kind}/${name}` : `${kind}/${name}/${names.act}/${names.generation}/${names.isMade}`;
}

/** What the annotation admits. */
function admitted({ kind, name, names }: BreakGlassExemption): string {
  if (names === undefined)
    return `${kind} ${name} is annotated without the change that this is for, which only version 1 of the policy admits`;
  const { act, generation, until, isMade } = names;
  if (act === 'creation') return `${kind} ${name} could be created while its pool is not paused, until ${until}`;
  const what = `${act} of ${kind} ${name} at generation ${generation}`;
  if (isMade) return `The ${what} is done, which was allowed while its pool is not paused`;
  return `One ${what} is allowed while its pool is not paused, until ${until}`;
}

function breakGlassFinding(exemption: BreakGlassExemption, readAt: string): Finding {
  const { kind, name, reason, by, at, changed } = exemption;
  const of = ref(kind, name);
  const since = changed === undefined ? '' : ` It was changed by ${changed.by} at ${changed.at}.`;
  return finding({
    code: 'A5',
    subject: of,
    sentence: `${admitted(exemption)}: ${by} annotated it (${quoted(reason, 240)}).${since}`,
    confidence: 'certain',
    class: 'structural',
    evidence: [
      evidence(of, `metadata.annotations[${breakGlassAnnotation}]`, reason.slice(0, 240), readAt),
      ...(at === undefined ? [] : [evidence(of, 'metadata.managedFields', `${by} at ${at}`, readAt)]),
      ...(changed === undefined ? [] : [evidence(of, 'spec', `${changed.by} at ${changed.at}`, readAt)]),
    ],
    remedies: [
      remedy('Remove the annotation when the emergency is over', {
        command: command('oc', 'annotate', kindWord(kind), name, `${breakGlassAnnotation}-`),
      }),
    ],
  });
}
