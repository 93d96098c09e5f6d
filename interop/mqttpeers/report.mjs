// What a script prints: a line of JSON for each step, {"step", "packets"} with
// what came back, or {"step", "error"} if the script itself failed.

/** How long one step may take, in milliseconds. */
const patience = 30_000;

/** Runs one step and prints what came of it: packets in a list, one, or none. */
export async function step(name, run) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('the step takes too long')), patience); });
  try {
    print({ step: name, packets: [await Promise.race([run(), late]) ?? []].flat() });
  } catch (e) {
    print({ step: name, error: e.stack });
  } finally {
    clearTimeout(timer);
  }
}

export function print(line) {
  process.stdout.write(JSON.stringify(line) + '\n');
}
