import { breakGlassAnnotation } from '../argocd/refused-sync.ts';
import { remedy } from '../diagnose/remedies.ts';
import { evidence, finding, ref } from '../findings/make-finding.ts';
import type { Finding, Trouble } from '../findings/trouble.ts';
import { earliest } from '../text/instant.ts';
import { counted, listed, quoted } from '../text/phrases.ts';
import { command } from '../text/shell-words.ts';
import type { BreakGlassExemption } from './break-glass.ts';
import type { JudgeInput } from './input.ts';
import { makeTrouble } from './make-trouble.ts';

/** Objects exempt from the admission level, reported while the annotation is there because every change of them is
 *  admitted. */
export function breakGlassTroubles({ cluster, breakGlass: observed, now }: JudgeInput): readonly Trouble[] {
  const breakGlass = observed.kind === 'seen' ? observed.value : [];
  if (breakGlass.length === 0) return [];
  const names = breakGlass.map(({ kind, name }) => `${kind} ${name}`);
  const used = breakGlass.filter(({ changed }) => changed !== undefined);
  return [
    makeTrouble({
      key: { cluster, pool: '*', kind: 'break-glass' },
      severity: 'warning',
      headline: `break-glass on ${listed(names, 2)}`,
      since: earliest(breakGlass.map(({ at }) => at)) ?? now.toISOString(),
      findings: breakGlass.map((each) => breakGlassFinding(each, now.toISOString())),
      facts: [
        { label: 'Objects', value: listed(names, 3) },
        { label: 'Changed since', value: used.length === 0 ? 'none' : counted(used.length, 'object') },
      ],
    }),
  ];
}

function breakGlassFinding({ kind, name, reason, by, at, changed }: BreakGlassExemption, readAt: string): Finding {
  const of = ref(kind, name);
  const since = changed === undefined ? '' : ` It was changed by ${changed.by} at ${changed.at}.`;
  return finding({
    code: 'A5',
    subject: of,
    sentence: `${kind} ${name} may be changed while its pool is not paused: ${by} annotated it (${quoted(reason, 240)}).${since}`,
    confidence: 'certain',
    class: 'structural',
    evidence: [
      evidence(of, `metadata.annotations[${breakGlassAnnotation}]`, reason.slice(0, 240), readAt),
      ...(at === undefined ? [] : [evidence(of, 'metadata.managedFields', `${by} at ${at}`, readAt)]),
      ...(changed === undefined ? [] : [evidence(of, 'spec', `${changed.by} at ${changed.at}`, readAt)]),
    ],
    remedies: [
      remedy('Remove the annotation when the emergency is over', {
        command: command('oc', 'annotate', kind.toLowerCase(), name, `${breakGlassAnnotation}-`),
      }),
    ],
  });
}
