export function afterTestsOfAllFiles(hook: () => void): void;
