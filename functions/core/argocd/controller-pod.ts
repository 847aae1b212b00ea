/** A pod of an application controller. */
export interface ControllerPod {
  readonly name: string;
  readonly namespace: string;
  /** Undefined: not scheduled. */
  readonly node: string | undefined;
  /** ISO instant since when all its containers run; undefined: they do not. */
  readonly runningSince: string | undefined;
}
