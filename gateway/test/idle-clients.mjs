// Opens so many connections to a port, some at a time, says "open" when all are, and keeps them
// until it is ended.
import { connect } from 'node:net';

const [port, count] = process.argv.slice(2).map(Number);
const atOnce = 200;
let opened = 0;
let begun = 0;
function closed() {
  process.stdout.write('closed\n');
}

function open() {
  if (begun === count) return;
  begun += 1;
  const socket = connect(port, '127.0.0.1', () => {
    opened += 1;
    if (opened === count) process.stdout.write('open\n');
    open();
  });
  socket.on('error', () => undefined);
  socket.on('close', closed);
}

for (let index = 0; index < atOnce; index += 1) open();
