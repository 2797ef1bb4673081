// Sends requests at a constant rate on kept-alive connections. Writes the latencies as JSON to $BENCH_RESULT. Prints
// "ready" when all connections are open, and starts when it reads a line.
//
// Each request has a scheduled time. Its latency starts at that time, even if no connection was free to send it. A
// generator that waits for a response before the next request would omit this delay (coordinated omission).
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_LIMIT = 4096, EVENTS = 256, CONNECTIONS_PER_ADDRESS = 100, OPENERS = 4 };
// Late requests get this many nanoseconds to complete after the end of the schedule.
static const uint64_t SECOND = 1000000000, GRACE = 5 * SECOND;

struct connection {
    int socket;
    int number;
    SSL *ssl;
    uint64_t due;
    size_t received, expected;
    char head[HEAD_LIMIT];
};

static struct {
    int port, epoll;
    SSL_CTX *tls;
    char request[512];
    int request_length;
    // A ring of the connections without a pending request.
    struct connection *all, **idle;
    size_t connections, idle_first, idle_count;
    uint32_t *microseconds;
    uint64_t done, read_errors, status_errors;
} run;

static void fail(const char *what)
{
    fprintf(stderr, "open_loop: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void make_idle(struct connection *one)
{
    one->expected = 0;
    run.idle[(run.idle_first + run.idle_count++) % run.connections] = one;
}

// Servers limit the connections per address, so the connections come from several addresses.
static void open_connection(struct connection *one)
{
    uint32_t client = INADDR_LOOPBACK + 256 + (uint32_t)(one->number / CONNECTIONS_PER_ADDRESS);
    struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(client)};
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)run.port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    // A server at its limit of connections may accept no more of them.
    struct timeval longest = {.tv_sec = 30};
    int yes = 1;

    one->socket = socket(AF_INET, SOCK_STREAM, 0);
    if (one->socket < 0) fail("socket");
    setsockopt(one->socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    setsockopt(one->socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    setsockopt(one->socket, SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    if (bind(one->socket, (struct sockaddr *)&from, sizeof from) < 0) fail("bind");
    if (connect(one->socket, (struct sockaddr *)&to, sizeof to) < 0) fail("connect");
    if (run.tls) {
        one->ssl = SSL_new(run.tls);
        SSL_set_fd(one->ssl, one->socket);
        if (SSL_connect(one->ssl) != 1) fail("TLS handshake");
    }
    fcntl(one->socket, F_SETFL, O_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = one};
    if (epoll_ctl(run.epoll, EPOLL_CTL_ADD, one->socket, &event) < 0) fail("epoll_ctl");
}

// Opens every OPENERS-th connection. Threads share this work, because a server with several loops needs several clients.
static void *open_some(void *first)
{
    for (struct connection *one = first; one < run.all + run.connections; one += OPENERS) open_connection(one);
    return NULL;
}

static void open_all(void)
{
    pthread_t threads[OPENERS];
    size_t count = run.connections < OPENERS ? run.connections : OPENERS;

    for (size_t i = 0; i < run.connections; i++) run.all[i].number = (int)i;
    for (size_t i = 0; i < count; i++)
        if ((errno = pthread_create(&threads[i], NULL, open_some, &run.all[i]))) fail("pthread_create");
    for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
    for (size_t i = 0; i < run.connections; i++) make_idle(&run.all[i]);
}

// Servers close a connection after a certain number of requests.
static void reopen(struct connection *one)
{
    SSL_free(one->ssl);
    one->ssl = NULL;
    close(one->socket);
    open_connection(one);
}

static void send_request(struct connection *one, uint64_t due)
{
    one->due = due;
    one->received = 0;
    one->expected = SIZE_MAX;
    int sent = one->ssl ? SSL_write(one->ssl, run.request, run.request_length)
                        : (int)send(one->socket, run.request, (size_t)run.request_length, MSG_NOSIGNAL);
    if (sent != run.request_length) {
        run.read_errors++;
        reopen(one);
        make_idle(one);
    }
}

// Finds the end of the head. Derives the end of the response from Content-Length.
static void read_head(struct connection *one)
{
    size_t count = one->received < HEAD_LIMIT - 1 ? one->received : HEAD_LIMIT - 1;
    one->head[count] = 0;
    char *end = strstr(one->head, "\r\n\r\n"), *length = strcasestr(one->head, "\r\ncontent-length:");
    if (!end) return;
    if (strncmp(one->head, "HTTP/1.1 200", 12) != 0) run.status_errors++;
    one->expected = (size_t)(end + 4 - one->head) + (length && length < end ? strtoul(length + 17, NULL, 10) : 0);
}

static void receive(struct connection *one)
{
    static char bytes[65536];

    for (;;) {
        int count = one->ssl ? SSL_read(one->ssl, bytes, sizeof bytes) : (int)read(one->socket, bytes, sizeof bytes);
        if (count <= 0) {
            int waits = one->ssl ? SSL_get_error(one->ssl, count) == SSL_ERROR_WANT_READ : count < 0 && errno == EAGAIN;
            if (waits) return;
            int was_idle = one->expected == 0;
            if (!was_idle) run.read_errors++;
            reopen(one);
            if (!was_idle) make_idle(one);
            return;
        }
        if (one->received < HEAD_LIMIT - 1) {
            size_t space = HEAD_LIMIT - 1 - one->received, part = (size_t)count < space ? (size_t)count : space;
            memcpy(one->head + one->received, bytes, part);
        }
        one->received += (size_t)count;
        if (one->expected == SIZE_MAX) read_head(one);
        if (one->expected != 0 && one->received >= one->expected) {
            run.microseconds[run.done++] = (uint32_t)((now() - one->due) / 1000);
            make_idle(one);
        }
    }
}

// Sends the `planned` requests on schedule. Returns the number of nanoseconds between the first and the last event.
static uint64_t offer(uint64_t rate, uint64_t planned)
{
    struct epoll_event events[EVENTS];
    uint64_t sent = 0, start = now(), end = start + planned * SECOND / rate + GRACE, time = start;

    while (run.done + run.read_errors < planned && time < end) {
        while (sent < planned && run.idle_count > 0 && start + sent * SECOND / rate <= time) {
            struct connection *one = run.idle[run.idle_first];
            run.idle_first = (run.idle_first + 1) % run.connections;
            run.idle_count--;
            send_request(one, start + sent++ * SECOND / rate);
        }
        uint64_t next = sent < planned && run.idle_count > 0 ? start + sent * SECOND / rate : end, after = now();
        uint64_t wait = next > after ? next - after : 0;
        struct timespec limit = {(time_t)(wait / SECOND), (long)(wait % SECOND)};
        int count = epoll_pwait2(run.epoll, events, EVENTS, &limit, NULL);
        if (count < 0 && errno != EINTR) fail("epoll_pwait2");
        for (int i = 0; i < count; i++) receive(events[i].data.ptr);
        time = now();
    }
    return time - start;
}

static int ascending(const void *one, const void *other)
{
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    return (a > b) - (a < b);
}

static uint32_t percentile(double share)
{
    return run.done ? run.microseconds[(uint64_t)(share * (double)(run.done - 1))] : 0;
}

int main(int count, char **words)
{
    const char *path = getenv("BENCH_RESULT");
    if (count != 7 || !path) {
        fputs("usage: BENCH_RESULT=FILE open_loop PORT plain|TLS PATH REQUESTS_PER_SECOND SECONDS CONNECTIONS\n", stderr);
        return 64;
    }
    uint64_t rate = strtoull(words[4], NULL, 10), planned = rate * strtoull(words[5], NULL, 10);
    run.port = atoi(words[1]);
    run.connections = strtoul(words[6], NULL, 10);
    run.request_length =
        snprintf(run.request, sizeof run.request, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", words[3]);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
    if (strcmp(words[2], "TLS") == 0 && !(run.tls = SSL_CTX_new(TLS_client_method()))) fail("SSL_CTX_new");
    if ((run.epoll = epoll_create1(0)) < 0) fail("epoll_create1");
    run.idle = calloc(run.connections, sizeof *run.idle);
    run.microseconds = malloc(planned * sizeof *run.microseconds);
    run.all = calloc(run.connections, sizeof *run.all);
    if (!run.idle || !run.microseconds || !run.all) fail("memory");
    open_all();
    // After a handshake, a server sends a session ticket. Reading 10,000 tickets takes longer than a request may take.
    struct epoll_event events[EVENTS];
    for (int some; (some = epoll_wait(run.epoll, events, EVENTS, 100)) > 0;)
        for (int i = 0; i < some; i++) receive(events[i].data.ptr);

    puts("ready");
    fflush(stdout);
    getchar();

    uint64_t nanoseconds = offer(rate, planned);
    qsort(run.microseconds, run.done, sizeof *run.microseconds, ascending);
    FILE *file = fopen(path, "w");
    if (!file) fail(path);
    fprintf(file,
        "{\"requests\": %" PRIu64 ", \"duration_us\": %" PRIu64 ", \"p50_us\": %u, \"p99_us\": %u,\n"
        " \"errors\": {\"read\": %" PRIu64 ", \"status\": %" PRIu64 ", \"timeout\": %" PRIu64 "}}\n",
        run.done, nanoseconds / 1000, percentile(0.5), percentile(0.99), run.read_errors, run.status_errors,
        planned - run.done - run.read_errors);
    return fclose(file) == 0 ? 0 : 1;
}
