import type { DisruptionClass, UpdateKind } from './disruption.ts';

/** The disruption as the end of `its nodes ...`. */
export function classWords(disruption: DisruptionClass | undefined): string {
  switch (disruption) {
    case 'none':
      return 'are not affected';
    case 'reload':
      return 'reload a service';
    case 'restart':
      return 'restart a service';
    case 'drain':
      return 'are drained';
    case 'reboot':
      return 'are drained and reboot';
    case undefined:
      return 'may reboot (unknown)';
    default:
      return disruption satisfies never;
  }
}

/** What is updated. */
export function updateWords(update: UpdateKind): string {
  switch (update) {
    case 'nothing':
      return 'nothing changes';
    case 'files':
      return 'files and settings change, not the OS image';
    case 'os':
      return 'the OS image changes, not files or settings';
    case 'os-and-files':
      return 'the OS image and files or settings change';
    case 'unknown':
      return 'unknown change';
    default:
      return update satisfies never;
  }
}
