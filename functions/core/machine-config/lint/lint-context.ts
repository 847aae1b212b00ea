import type { MachineConfigContent } from '../machine-config.ts';
import type { ChangeTexts } from './change-texts.ts';

/** The other MachineConfigs that are merged, if known. */
export interface LintContext {
  /** Other MachineConfigs of the pool: a unit in another one may run a script. */
  readonly others?: readonly MachineConfigContent[] | undefined;
  /** There are more that nobody is told of here; absent: no. */
  readonly areMore?: boolean | undefined;
  /** Shared by the MachineConfigs of one change; absent: it is the only one. */
  readonly texts?: ChangeTexts | undefined;
}
