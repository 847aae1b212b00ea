/** Whether there may be something new on the page, without saying what. */
export interface Changes {
  /** Another one whenever there may be something new; never one of another process. */
  version(): string;
  note(): void;
}

export function countedChanges(process: string): Changes {
  let count = 0;
  return {
    version: () => `${process}.${count}`,
    note() {
      count += 1;
    },
  };
}
