import type { Demo, DemoOptions } from './demo-set-up.ts';
import type { OnCall } from './on-call.ts';
import type { StepPrinter } from './step-printer.ts';

/** What the demo plays. */
export interface Scenario {
  /** What is special about the demo that it plays on. */
  readonly options?: () => DemoOptions;
  /** Throws DemoFailed with the step that did not happen. `onCall`: undefined if nobody is there to decide. */
  readonly run: (demo: Demo, printer: StepPrinter, onCall: OnCall | undefined) => Promise<void>;
  /** Where on the page to look: `#run-upgrade`. */
  readonly anchor?: string;
  /** What to try next; `folder` is that of the kubeconfig. */
  readonly invitation: (demo: Demo, folder: string) => Promise<string>;
}
