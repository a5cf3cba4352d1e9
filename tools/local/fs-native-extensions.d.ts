declare module "fs-native-extensions" {
  /** Locks a file open for writing, until it is closed or the process is gone. @returns false when another holds it */
  export function tryLock(fd: number): boolean;
}
