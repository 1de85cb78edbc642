// ask USER TEXT prints transaction id and content of the QR code, and waits two minutes for the app.
// check TRANSACTION RESPONSE sends a typed response.
// The last line is "confirmed" or "not confirmed". TANKEEPER_URL and TANKEEPER_TOKEN are in the environment.
// Java 11 or newer. Its library reads no JSON; use your own in place of find.
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.regex.Pattern;

public class Client {
    static final HttpClient HTTP = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    static String call(String path, String... fields) throws Exception {
        StringBuilder body = new StringBuilder();
        for (int i = 0; i < fields.length; i += 2) {
            body.append(fields[i]).append('=').append(URLEncoder.encode(fields[i + 1], StandardCharsets.UTF_8)).append('&');
        }
        HttpRequest request = HttpRequest.newBuilder(URI.create(System.getenv("TANKEEPER_URL") + path))
            .timeout(Duration.ofSeconds(35))
            .header("Authorization", "Bearer " + System.getenv("TANKEEPER_TOKEN"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(body.substring(0, body.length() - 1)))
            .build();
        for (int attempt = 0; attempt < 3; attempt++) {
            HttpResponse<String> answer = HTTP.send(request, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() == 429 || answer.statusCode() == 503) {
                Thread.sleep(1000 * answer.headers().firstValueAsLong("Retry-After").orElse(1));
            } else if (find("status", answer.body()).equals("true")) {
                return answer.body();
            } else {
                throw new IllegalStateException(find("message", answer.body()));
            }
        }
        throw new IllegalStateException("the server is busy");
    }

    static String find(String member, String json) {
        var found = Pattern.compile("\"" + member + "\":\\s*(?:\"(.*?)\"|(true|false))").matcher(json);
        return !found.find() ? "" : found.group(1) != null ? found.group(1) : found.group(2);
    }

    static boolean isAccepted(String transaction) throws Exception {
        return find("valid_tan", call("/ocra/checkstatus", "transactionid", transaction)).equals("true");
    }

    static boolean ask(String user, String text) throws Exception {
        String answer = call("/ocra/request", "user", user, "data", text);
        String transaction = find("transactionid", answer);
        System.out.println(transaction + " " + find("data", answer));
        for (int second = 0; second < 120; second++) {
            if (isAccepted(transaction)) {
                return true;
            }
            Thread.sleep(1000);
        }
        return false;
    }

    static boolean check(String transaction, String response) throws Exception {
        String answer = call("/ocra/check_t", "transactionid", transaction, "pass", response);
        // A request that was repeated may have been accepted the first time.
        return find("result", answer).equals("true") || isAccepted(transaction);
    }

    public static void main(String[] words) throws Exception {
        boolean confirmed = words[0].equals("ask") ? ask(words[1], words[2]) : check(words[1], words[2]);
        System.out.println(confirmed ? "confirmed" : "not confirmed");
    }
}
