/** The end of a transaction that must leave nothing behind. */
export class Undone extends Error {
  /** @returns the result of the work; false where it was undone */
  static async catch(work: () => Promise<boolean>): Promise<boolean> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof Undone) {
        return false;
      }
      throw error;
    }
  }
}
