import type { Warning } from '../disruption.ts';
import type { Facet } from '../facet.ts';
import { type ChangeTexts, hasText } from './change-texts.ts';
import type { Deed } from './deeds-in.ts';
import { line } from './line.ts';
import { selinuxWarning } from './shared-warnings.ts';

/** What the scripts and units do to a node behind the operator's back.
 *  @param isManaged whether a MachineConfig of the pool writes a path */
export function lintCommands(
  facets: readonly Facet[],
  texts: ChangeTexts,
  isManaged: (path: string) => boolean,
): readonly Warning[] {
  return facets.filter(hasText).flatMap((facet) =>
    texts
      .deedsOf(facet)
      .deeds.filter(({ ifSet }) => ifSet === undefined || (ifSet !== facet.name && isManaged(ifSet)))
      .map((deed) => warningOf(facet, deed)),
  );
}

function warningOf(facet: Facet, { code, does, line: at }: Deed): Warning {
  const text = `${facet.kind} ${line(facet.name)}, line ${at}: ${line(does)}`;
  switch (code) {
    case 'selinux-weakened':
      return selinuxWarning(text);
    case 'package-installed':
      return {
        code,
        text,
        remedy:
          'Use spec.extensions, or layer the image (MachineOSConfig): what is installed by hand the daemon refuses',
      };
    case 'os-changed':
      return {
        code,
        text,
        remedy: 'Use spec.kernelArguments or spec.osImageURL: the daemon finds another OS than it set, and is Degraded',
      };
    case 'reboot-by-script':
      return {
        code,
        text,
        remedy: 'Leave reboots to the operator: this one is not drained, ignores maxUnavailable and a paused pool',
      };
    case 'operator-file-edited':
      return {
        code,
        text,
        remedy:
          'Set it in a MachineConfig or KubeletConfig: the daemon sees another content than it wrote, and is Degraded',
      };
    default:
      return code satisfies never;
  }
}
