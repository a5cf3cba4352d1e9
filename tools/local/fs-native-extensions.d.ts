declare module "fs-native-extensions" {
  /**
   * Locks a file open for writing until it is closed or the process exits. @returns false if another process holds it
   */
  export function tryLock(fd: number): boolean;
}
